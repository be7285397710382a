#!/usr/bin/perl
# The first process of an outer machine: loads drivers, puts a writable layer over the files of the host, runs what it
# was given, says how that ended, and turns the machine off. Perl is on every Debian machine and can make any system
# call. Its own modules are not here, hence no `use strict`.
# Numbers of system calls and flags: Linux, x86-64.
my ($MOUNT, $SYNC, $REBOOT, $FINIT_MODULE, $READ_ONLY, $MOVE) = (165, 162, 169, 313, 1, 8192);

sub complain { open my $console, '>', '/dev/console'; print $console "init: @_\n" }

sub mounted {
    my ($from, $to, $type, $flags, $words) = @_;
    mkdir $to;
    syscall($MOUNT, "$from", "$to", "$type", 0 + $flags, "$words") == 0 or complain("cannot mount $to ($type): $!");
}

sub kernel_files {
    mounted('proc', '/proc', 'proc', 0, '');
    mounted('dev', '/dev', 'devtmpfs', 0, '');
    my @standard = qw(stdin stdout stderr);
    symlink '/proc/self/fd', '/dev/fd';
    symlink "/proc/self/fd/$_", "/dev/$standard[$_]" for 0 .. 2;
}

kernel_files();
open my $order, '<', '/modules/order';
while (my $name = <$order>) {
    chomp $name;
    open my $module, '<', "/modules/$name";
    my $parameters = '';
    syscall($FINIT_MODULE, fileno($module), $parameters, 0) == 0 or complain("cannot load $name: $!");
}
open my $line, '<', '/proc/cmdline';
my ($layers) = <$line> =~ /\blayers=(\d+)/;
my @below = map { "/layer$_" } 0 .. $layers - 1;
mounted("layer$_", "/layer$_", '9p', $READ_ONLY, 'trans=virtio,version=9p2000.L,cache=loose,msize=512000')
    for 0 .. $layers - 1;
mounted('tmpfs', '/above', 'tmpfs', 0, 'size=75%');
mkdir "/above/$_" for 'files', 'work';
mounted('overlay', '/new', 'overlay', 0, 'lowerdir=' . join(':', @below) . ',upperdir=/above/files,workdir=/above/work');
# Moved to the root, and not only changed to: processes in a changed root may make no user namespaces.
chdir '/new';
syscall($MOUNT, my $here = '.', my $root = '/', 0, $MOVE, 0) == 0 or complain("cannot move the root: $!");
chroot '.' or complain("cannot change the root: $!");
chdir '/';
kernel_files();
mounted('sys', '/sys', 'sysfs', 0, '');
mounted('pts', '/dev/pts', 'devpts', 0, 'ptmxmode=666');
mounted('shm', '/dev/shm', 'tmpfs', 0, '');
mounted('run', '/run', 'tmpfs', 0, '');
mounted('cgroup', '/sys/fs/cgroup', 'cgroup2', 0, '');
mkdir '/inside';
my $status = system('/bin/sh', '/run-inside');
open my $answer, '>', '/dev/ttyS1';
print $answer "ended: ", $status >> 8, "\n";
close $answer;
syscall($SYNC);
syscall($REBOOT, 0xfee1dead, 672274793, 0x4321fedc, 0);
