//! Who is at the other end of a connection: both sides show that they know the secret, and neither sends it.
//!
//! ```text
//! listener → caller   MAGIC, 32 random bytes N
//! caller → listener   MAGIC, 32 random bytes M, number of the caller, number of the listener, purpose,
//!                     HMAC-SHA-256(secret, "caller" N M numbers purpose)
//! listener → caller   HMAC-SHA-256(secret, "listener" N M numbers purpose)
//! ```
//!
//! The random bytes are new for each connection, so that what was said once is of no use again; the words differ, so that one
//! side's proof cannot be sent back as the other's. Whoever does not know the secret is shut out after at most [`HELLO`] bytes
//! and [`PATIENCE`]. What follows on the connection is neither encrypted nor protected: a network in which others can change
//! packets needs a tunnel (`docs/cluster.md`).

use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const MAGIC: &[u8; 16] = b"ample cluster 1\n";
const BLOCK: usize = 64;
const PROOF: usize = 32;
const NONCE: usize = 32;
/// Bytes that a caller sends first.
const HELLO: usize = MAGIC.len() + NONCE + 12 + PROOF;
/// How long one side waits for the other during this.
const PATIENCE: Duration = Duration::from_secs(5);

/// The shared secret. It does not show itself.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// The fewest bytes of a secret.
pub const SHORTEST: usize = 16;

impl Secret {
    /// A secret that was read from a file; blanks at its ends do not count. `None` if it is too short.
    pub fn new(bytes: &[u8]) -> Option<Secret> {
        let bytes = bytes.trim_ascii();
        (bytes.len() >= SHORTEST).then(|| Secret(bytes.to_vec()))
    }

    /// A secret for one run.
    pub fn random() -> io::Result<Secret> {
        let bytes = random()?;
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        Ok(Secret(digits.collect::<String>().into_bytes()))
    }

    /// Its text, for a process that is started for the run.
    pub fn reveal(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

fn random() -> io::Result<[u8; NONCE]> {
    let mut bytes = [0; NONCE];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// HMAC of RFC 2104 with SHA-256.
fn hmac(secret: &[u8], parts: &[&[u8]]) -> [u8; PROOF] {
    let mut key = [0; BLOCK];
    match secret.len() > BLOCK {
        true => key[..PROOF].copy_from_slice(&Sha256::digest(secret)),
        false => key[..secret.len()].copy_from_slice(secret),
    }
    let mut inner = Sha256::new_with_prefix(key.map(|byte| byte ^ 0x36));
    parts.iter().for_each(|part| inner.update(part));
    let outer = Sha256::new_with_prefix(key.map(|byte| byte ^ 0x5c)).chain_update(inner.finalize());
    outer.finalize().into()
}

/// Compares in a time that does not depend on where they differ.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (x, y)| all | (x ^ y)) == 0
}

/// Who calls whom, and what for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) purpose: u32,
}

impl Call {
    fn bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&self.from.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.to.to_le_bytes());
        bytes[8..].copy_from_slice(&self.purpose.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; 12]) -> Call {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Call {
            from: word(0),
            to: word(4),
            purpose: word(8),
        }
    }
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned())
}

fn impatient(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

/// The listener's side.
pub(super) fn admit(stream: &mut TcpStream, secret: &Secret) -> io::Result<Call> {
    impatient(stream)?;
    let own = random()?;
    stream.write_all(&[MAGIC.as_slice(), &own].concat())?;
    let mut hello = [0; HELLO];
    // What does not begin as it should is not waited for.
    let (magic, rest) = hello.split_at_mut(MAGIC.len());
    stream.read_exact(magic)?;
    if magic != MAGIC {
        return Err(refused("it does not speak this protocol"));
    }
    stream.read_exact(rest)?;
    let (theirs, rest) = rest.split_at(NONCE);
    let Some((call, proof)) = rest.split_first_chunk::<12>() else {
        return Err(refused("it said too little"));
    };
    let expected = hmac(&secret.0, &[b"caller", &own, theirs, call]);
    if !is_same(proof, &expected) {
        return Err(refused("it does not know the secret"));
    }
    stream.write_all(&hmac(&secret.0, &[b"listener", &own, theirs, call]))?;
    Ok(Call::from_bytes(call))
}

/// The caller's side.
pub(super) fn introduce(stream: &mut TcpStream, secret: &Secret, call: Call) -> io::Result<()> {
    impatient(stream)?;
    let mut hello = [0; MAGIC.len() + NONCE];
    stream.read_exact(&mut hello)?;
    let (magic, theirs) = hello.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err(refused("it does not speak this protocol"));
    }
    let own = random()?;
    let call = call.bytes();
    let proof = hmac(&secret.0, &[b"caller", theirs, &own, &call]);
    stream.write_all(&[MAGIC.as_slice(), &own, &call, &proof].concat())?;
    let mut proof = [0; PROOF];
    stream
        .read_exact(&mut proof)
        .map_err(|_| refused("it does not accept the secret"))?;
    match is_same(
        &proof,
        &hmac(&secret.0, &[b"listener", theirs, &own, &call]),
    ) {
        true => Ok(()),
        false => Err(refused("it does not know the secret")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn codes_are_those_of_rfc_4231() {
        let hex = |bytes: [u8; PROOF]| bytes.map(|b| format!("{b:02x}")).concat();
        assert_eq!(
            hex(hmac(&[0x0b; 20], &[b"Hi There"])),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            hex(hmac(b"Jefe", &[b"what do ya want ", b"for nothing?"])),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        let long = b"Test Using Larger Than Block-Size Key - Hash Key First";
        assert_eq!(
            hex(hmac(&[0xaa; 131], &[long])),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    fn meet(listener: &str, caller: &str) -> (io::Result<Call>, io::Result<()>) {
        let secret = |text: &str| Secret::new(text.as_bytes()).expect("long enough");
        let door = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = door.local_addr().expect("an address");
        let call = Call {
            from: 2,
            to: 1,
            purpose: 7,
        };
        std::thread::scope(|scope| {
            let caller = scope.spawn(move || {
                let mut stream = TcpStream::connect(at)?;
                introduce(&mut stream, &secret(caller), call)
            });
            let mut stream = door.accept().expect("a caller").0;
            let admitted = admit(&mut stream, &secret(listener));
            drop(stream);
            (admitted, caller.join().expect("no panic"))
        })
    }

    #[test]
    fn the_secret_is_shared_or_nobody_comes_in() {
        let (admitted, introduced) = meet("a secret of sixteen", " a secret of sixteen\n");
        let call = admitted.expect("the same secret");
        assert_eq!((call.from, call.to, call.purpose), (2, 1, 7));
        introduced.expect("the same secret");
        let (admitted, introduced) = meet("a secret of sixteen", "another one of sixteen");
        assert!(admitted.is_err() && introduced.is_err());
        assert!(Secret::new(b"  short  ").is_none());
    }
}
