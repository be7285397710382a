//! What the name of an operation and its settings ask for, read from them apart from what builds the operation, and
//! compared with what was built. Pipes and sockets carry the same bytes: only the system tells them apart.

use super::operation::Operation;
use super::spawn::{own_file, SHELL};
use crate::settings::{check_failed, Settings};
use rustix::fd::BorrowedFd;
use rustix::fs::{fstat, FileType};
use rustix::net::sockopt::{socket_domain, socket_type};
use rustix::net::{AddressFamily, SocketType};
use virtometer_protocol::Failure;

/// What a descriptor leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Pipe,
    UnixSocket,
    TcpSocket,
    File,
    Other,
}

impl Object {
    /// In words, of several.
    fn name(self) -> &'static str {
        match self {
            Object::Pipe => "pipes",
            Object::UnixSocket => "AF_UNIX sockets",
            Object::TcpSocket => "TCP sockets",
            Object::File => "regular files",
            Object::Other => "something else",
        }
    }

    /// As the system has it.
    pub(super) fn of(descriptor: BorrowedFd<'_>) -> Self {
        match fstat(descriptor).map(|found| FileType::from_raw_mode(found.st_mode)) {
            Ok(FileType::Fifo) => Object::Pipe,
            Ok(FileType::RegularFile) => Object::File,
            Ok(FileType::Socket) => match (socket_domain(descriptor), socket_type(descriptor)) {
                (Ok(AddressFamily::UNIX), Ok(SocketType::STREAM)) => Object::UnixSocket,
                (Ok(AddressFamily::INET), Ok(SocketType::STREAM)) => Object::TcpSocket,
                _ => Object::Other,
            },
            _ => Object::Other,
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    op: String,
    /// What its descriptors lead to, and how many there are.
    objects: Option<(Object, u64)>,
    /// Units of work in one repeat.
    work: u64,
    /// Bytes of its memory or file.
    bytes: Option<u64>,
    /// The program that its processes execute: `Some(None)` where they execute none.
    program: Option<Option<Vec<u8>>>,
}

impl Expected {
    pub(super) fn of(op: &str, settings: &Settings<'_>) -> Result<Self, Failure> {
        let plain = Expected { op: op.to_owned(), objects: None, work: 1, bytes: None, program: None };
        // Both ends of a process: what it reads from and what it writes to.
        let between = |object| Some((object, 2));
        let size = || settings.integer("size");
        Ok(match op {
            "pipe" => Expected { objects: between(Object::Pipe), ..plain },
            "unix" => Expected { objects: between(Object::UnixSocket), ..plain },
            "tcp" => Expected { objects: between(Object::TcpSocket), ..plain },
            "pipe-bandwidth" => Expected { objects: between(Object::Pipe), work: size()?, ..plain },
            "unix-bandwidth" => Expected { objects: between(Object::UnixSocket), work: size()?, ..plain },
            "context-switch" => {
                let work = settings.integer("processes")?;
                Expected { objects: between(Object::Pipe), work, bytes: Some(size()?), ..plain }
            }
            "select" => {
                let object = settings.choice("of", &[("file", Object::File), ("tcp", Object::TcpSocket)])?;
                Expected { objects: Some((object, settings.integer("descriptors")?)), ..plain }
            }
            "page-fault" if settings.choice("mapping", &[("anonymous", false), ("file", true)])? => {
                let page = rustix::param::page_size() as u64;
                Expected { objects: Some((Object::File, 1)), bytes: Some(size()?.div_ceil(page) * page), ..plain }
            }
            "mmap" => Expected { objects: Some((Object::File, 1)), bytes: Some(size()?), ..plain },
            "file-reread" => Expected { objects: Some((Object::File, 1)), work: size()?, ..plain },
            "fork" => Expected { program: Some(None), ..plain },
            "exec" => Expected { program: Some(Some(own_file()?)), ..plain },
            "shell" => Expected { program: Some(Some(SHELL.into())), ..plain },
            _ => plain,
        })
    }

    /// Compare with what was built and has just worked.
    pub(super) fn compare(&self, operation: &dyn Operation) -> Result<(), Failure> {
        let Expected { op, objects, work, bytes, program } = self;
        if operation.work() != *work {
            return Err(check_failed(format!("a repeat of {op} has {} units of work, not {work}", operation.work())));
        }
        if let Some((object, count)) = objects {
            let found: Vec<Object> = operation.descriptors().into_iter().map(Object::of).collect();
            if let Some(other) = found.iter().find(|other| *other != object) {
                let (other, object) = (other.name(), object.name());
                return Err(check_failed(format!("{op} has worked on {other}, not on {object}")));
            }
            if found.len() as u64 != *count {
                return Err(check_failed(format!("{op} has worked on {} descriptors, not on {count}", found.len())));
            }
        }
        if let Some(bytes) = bytes.filter(|bytes| operation.bytes() != *bytes) {
            return Err(check_failed(format!("{op} has used {} bytes, not {bytes}", operation.bytes())));
        }
        match program.as_ref().filter(|program| operation.program() != program.as_deref()) {
            Some(_) => Err(check_failed(format!("the processes of {op} execute another program than they should"))),
            None => Ok(()),
        }
    }

    /// Compare with one more process, where the system says whether it has executed a program.
    pub(super) fn compare_process(&self, operation: &dyn Operation) -> Result<(), Failure> {
        let wanted = self.program.as_ref().map(Option::is_some);
        let executed = if wanted.is_some() { operation.executes()? } else { None };
        match executed.filter(|executed| Some(*executed) != wanted) {
            Some(true) => Err(check_failed(format!("a process of {} has executed a program", self.op))),
            Some(false) => Err(check_failed(format!("a process of {} has executed no program", self.op))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::link;
    use super::*;
    use rustix::fd::AsFd;

    /// Has two ends of a pipe and 8 bytes, and a program.
    struct Known(link::End);

    impl Operation for Known {
        fn repeat(&mut self, _repeats: u64) -> Result<(), Failure> {
            Ok(())
        }

        fn counted(&mut self) -> Result<u64, Failure> {
            Ok(0)
        }

        fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
            self.0.descriptors()
        }

        fn bytes(&self) -> u64 {
            8
        }

        fn program(&self) -> Option<&[u8]> {
            Some(b"/bin/true")
        }

        fn executes(&self) -> Result<Option<bool>, Failure> {
            Ok(Some(true))
        }
    }

    #[test]
    fn what_is_not_as_it_was_asked_for_is_reported() {
        let known = Known(link::pipes().unwrap().0);
        let right = Expected {
            op: "x".into(),
            objects: Some((Object::Pipe, 2)),
            work: 1,
            bytes: Some(8),
            program: Some(Some(b"/bin/true".to_vec())),
        };
        let compared = |expected: &Expected| expected.compare(&known).and_then(|()| expected.compare_process(&known));
        assert_eq!(compared(&right), Ok(()));
        assert_eq!(compared(&Expected { objects: None, bytes: None, program: None, ..right.clone() }), Ok(()));
        for (wrong, said) in [
            (Expected { work: 2, ..right.clone() }, "a repeat of x has 1 units of work, not 2"),
            (
                Expected { objects: Some((Object::UnixSocket, 2)), ..right.clone() },
                "x has worked on pipes, not on AF_UNIX sockets",
            ),
            (Expected { objects: Some((Object::Pipe, 4)), ..right.clone() }, "x has worked on 2 descriptors, not on 4"),
            (Expected { bytes: Some(9), ..right.clone() }, "x has used 8 bytes, not 9"),
            (
                Expected { program: Some(Some(b"/bin/sh".to_vec())), ..right.clone() },
                "the processes of x execute another program than they should",
            ),
        ] {
            assert_eq!(compared(&wrong).unwrap_err().message, said);
        }
        let none = Expected { program: Some(None), ..right };
        assert_eq!(none.compare_process(&known).unwrap_err().message, "a process of x has executed a program");
    }

    #[test]
    fn the_system_tells_what_a_descriptor_leads_to() {
        let ways: [(link::MakeLink, Object); 3] =
            [(link::pipes, Object::Pipe), (link::unix, Object::UnixSocket), (link::tcp, Object::TcpSocket)];
        for (make_link, object) in ways {
            let (near, far) = make_link().unwrap();
            for end in [&near.input, &near.output, &far.input, &far.output] {
                assert_eq!(Object::of(end.as_fd()), object);
            }
        }
        assert_eq!(Object::of(tempfile::tempfile().unwrap().as_fd()), Object::File);
        assert_eq!(Object::of(std::net::UdpSocket::bind("127.0.0.1:0").unwrap().as_fd()), Object::Other);
    }
}
