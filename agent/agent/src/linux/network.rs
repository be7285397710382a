//! Bringing a network interface up, for guests that contain nothing else.

#![allow(unsafe_code)] // ioctl requests of the network's interfaces

use std::io;
use std::mem;
use std::net::Ipv4Addr;
use std::os::unix::io::{AsRawFd, FromRawFd, OwnedFd};
use virtometer_protocol::{Code, Failure, Network};
use virtometer_sampling::os_failure;

/// Give the interface this address and bring it up.
pub(crate) fn configure(config: &Network) -> Result<(), Failure> {
    let socket = socket()?;
    let mask = u32::MAX.checked_shl(32 - u32::from(config.prefix)).unwrap_or(0);
    let interface = config.interface.as_str();
    request(&socket, interface, libc::SIOCSIFADDR, |content| content.ifru_addr = address(config.address))?;
    request(&socket, interface, libc::SIOCSIFNETMASK, |content| content.ifru_netmask = address(mask.into()))?;
    up(&socket, interface)
}

/// Bring the loopback interface up.
pub(crate) fn loopback() -> Result<(), Failure> {
    configure(&Network { interface: "lo".into(), address: Ipv4Addr::LOCALHOST, prefix: 8 })
}

pub(super) fn socket() -> Result<OwnedFd, Failure> {
    // SAFETY: the descriptor that comes back is new and nobody else's.
    unsafe {
        let fd = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if fd < 0 {
            return Err(os_failure("cannot configure the network", &io::Error::last_os_error()));
        }
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

fn up(socket: &OwnedFd, interface: &str) -> Result<(), Failure> {
    let seen = request(socket, interface, libc::SIOCGIFFLAGS, |_| ())?;
    #[allow(clippy::cast_possible_truncation)] // both flags are among the lower 16
    let wanted = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the request before filled in the flags.
    let flags = unsafe { seen.ifr_ifru.ifru_flags } | wanted;
    request(socket, interface, libc::SIOCSIFFLAGS, |content| content.ifru_flags = flags).map(drop)
}

/// One request about an interface; `fill` sets what it takes. Returns what the kernel answers.
pub(super) fn request(
    socket: &OwnedFd,
    interface: &str,
    number: libc::c_ulong,
    fill: impl FnOnce(&mut libc::__c_anonymous_ifr_ifru),
) -> Result<libc::ifreq, Failure> {
    // SAFETY: an ifreq is plain data, for which zero is a value.
    let mut content: libc::ifreq = unsafe { mem::zeroed() };
    for (to, from) in content.ifr_name.iter_mut().zip(interface.bytes().take(libc::IFNAMSIZ - 1)) {
        #[allow(clippy::cast_possible_wrap)] // bytes of a name
        let byte = from as libc::c_char;
        *to = byte;
    }
    fill(&mut content.ifr_ifru);
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
    // the request's type differs between C libraries
    // SAFETY: the kernel reads and writes an ifreq, for these requests.
    let status = unsafe { libc::ioctl(socket.as_raw_fd(), number as _, &mut content) };
    if status == 0 {
        return Ok(content);
    }
    let cause = io::Error::last_os_error();
    if cause.raw_os_error() == Some(libc::ENODEV) {
        return Err(Failure::new(Code::NotFound, format!("there is no network interface {interface}")));
    }
    Err(os_failure(&format!("cannot configure the interface {interface}"), &cause))
}

fn address(address: Ipv4Addr) -> libc::sockaddr {
    // SAFETY: both are plain data of the same size, and the internet form is what the kernel expects in it.
    unsafe {
        let mut internet: libc::sockaddr_in = mem::zeroed();
        #[allow(clippy::cast_possible_truncation)] // 2
        let family = libc::AF_INET as libc::sa_family_t;
        internet.sin_family = family;
        internet.sin_addr.s_addr = u32::from(address).to_be();
        mem::transmute::<libc::sockaddr_in, libc::sockaddr>(internet)
    }
}
