//! Lines out of a stream of bytes, with a bound on their length.

use crate::{Code, Failure, MAX_LINE};

/// Collects bytes and gives back whole lines.
///
/// After the first failure the buffer stays failed: a stream that went wrong once is not used again.
#[derive(Debug, Default)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    scanned: usize,
    failed: bool,
}

impl LineBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Append what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole line without its newline (and without a carriage return before it), or `None` when more bytes
    /// are needed. Fails with `message-too-long` as soon as it is certain that the line has more than [`MAX_LINE`]
    /// bytes.
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let end = match self.bytes[self.scanned..].iter().position(|&b| b == b'\n') {
            Some(at) => self.scanned + at,
            None if self.bytes.len() >= MAX_LINE => return Err(self.fail()),
            None => {
                self.scanned = self.bytes.len();
                return if self.failed { Err(self.fail()) } else { Ok(None) };
            }
        };
        if self.failed || end >= MAX_LINE {
            return Err(self.fail());
        }
        let mut line: Vec<u8> = self.bytes.drain(..=end).collect();
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        self.scanned = 0;
        Ok(Some(line))
    }

    fn fail(&mut self) -> Failure {
        self.failed = true;
        Failure::new(Code::MessageTooLong, format!("a line has more than {} bytes", MAX_LINE))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn all(buffer: &mut LineBuffer) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| buffer.next_line().unwrap()).collect()
    }

    #[test]
    fn the_longest_line_passes_and_one_byte_more_fails() {
        let mut buffer = LineBuffer::new();
        let mut line = vec![b'x'; MAX_LINE - 1];
        line.push(b'\n');
        buffer.push(&line);
        assert_eq!(buffer.next_line().unwrap().unwrap().len(), MAX_LINE - 1);
        buffer.push(&vec![b'x'; MAX_LINE - 1]);
        assert_eq!(buffer.next_line().unwrap(), None);
        buffer.push(b"x");
        assert_eq!(buffer.next_line().unwrap_err().code, Code::MessageTooLong);
        buffer.push(b"\n{}\n");
        assert_eq!(buffer.next_line().unwrap_err().code, Code::MessageTooLong);
    }

    #[test]
    fn one_carriage_return_is_taken_off() {
        let mut buffer = LineBuffer::new();
        buffer.push(b"a\r\n\r\r\n\n");
        assert_eq!(all(&mut buffer), vec![b"a".to_vec(), b"\r".to_vec(), b"".to_vec()]);
    }

    /// Bytes that end no line. None is rejected: proptest gives up after some number of rejections.
    fn within_a_line() -> impl Strategy<Value = u8> {
        prop_oneof![0..b'\n', b'\n' + 1..b'\r', b'\r' + 1..=u8::MAX]
    }

    proptest! {
        #[test]
        fn lines_survive_any_division_of_the_stream(
            lines in prop::collection::vec(prop::collection::vec(within_a_line(), 0..200), 0..20),
            cuts in prop::collection::vec(1usize..50, 1..100),
        ) {
            let stream: Vec<u8> = lines.iter().flat_map(|l| l.iter().copied().chain(Some(b'\n'))).collect();
            let mut buffer = LineBuffer::new();
            let mut seen = Vec::new();
            let mut rest = &stream[..];
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break; }
                let (head, tail) = rest.split_at((*cut).min(rest.len()));
                buffer.push(head);
                seen.extend(all(&mut buffer));
                rest = tail;
            }
            prop_assert_eq!(seen, lines);
        }

        #[test]
        fn any_bytes_are_taken_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
            let mut buffer = LineBuffer::new();
            buffer.push(&bytes);
            for line in all(&mut buffer) {
                let _ = crate::parse_greeting(&line);
                let _ = crate::parse_request(&line);
            }
        }
    }
}
