//! What the agent sees of a Windows that it runs in. Everything is optional: what cannot be found is empty or 0.

#![allow(unsafe_code)] // calls of the system that describe it

use std::arch::is_x86_feature_detected;
use std::fs::OpenOptions;
use std::mem::size_of;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use virtometer_protocol::{BlockDevice, Facts};
use virtometer_sampling::allowed_cpus;
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Foundation::ERROR_SUCCESS;
use windows_sys::Win32::NetworkManagement::IpHelper::{
    GetAdaptersAddresses, GAA_FLAG_SKIP_ANYCAST, GAA_FLAG_SKIP_DNS_SERVER, GAA_FLAG_SKIP_MULTICAST,
    IP_ADAPTER_ADDRESSES_LH,
};
use windows_sys::Win32::Networking::WinSock::AF_UNSPEC;
use windows_sys::Win32::System::Ioctl::{DISK_GEOMETRY_EX, IOCTL_DISK_GET_DRIVE_GEOMETRY_EX};
use windows_sys::Win32::System::SystemInformation::{
    ComputerNamePhysicalDnsHostname, GetComputerNameExW, GetNativeSystemInfo, GlobalMemoryStatusEx, MEMORYSTATUSEX,
    OSVERSIONINFOW, PROCESSOR_ARCHITECTURE_AMD64, PROCESSOR_ARCHITECTURE_ARM64, PROCESSOR_ARCHITECTURE_INTEL,
    SYSTEM_INFO,
};
use windows_sys::Win32::System::Threading::{GetActiveProcessorCount, ALL_PROCESSOR_GROUPS};
use windows_sys::Win32::System::IO::DeviceIoControl;

/// Most names of a kind: a line has to hold them all.
const MOST: usize = 256;

/// Look around.
pub(crate) fn facts() -> Facts {
    let system = system_info();
    Facts {
        os: "Windows".to_owned(),
        kernel: version(),
        architecture: architecture(&system).to_owned(),
        bits: u64::from(usize::BITS),
        hostname: hostname(),
        cpu_model: cpu_model(),
        cpu_features: cpu_features(),
        // SAFETY: counts.
        cpus_online: u64::from(unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) }),
        cpus_allowed: allowed_cpus().len() as u64,
        memory_bytes: memory_bytes(),
        page_bytes: u64::from(system.dwPageSize),
        clock_source: "QueryPerformanceCounter".to_owned(),
        pid: u64::from(std::process::id()),
        // Users have no numbers here.
        uid: 0,
        block_devices: block_devices(),
        interfaces: interfaces(),
    }
}

fn system_info() -> SYSTEM_INFO {
    let mut info = SYSTEM_INFO::default();
    // SAFETY: writes into the structure. Cannot fail.
    unsafe { GetNativeSystemInfo(&mut info) };
    info
}

/// The words that uname uses, of the system's own architecture: a 32-bit agent may run on a 64-bit system.
fn architecture(info: &SYSTEM_INFO) -> &'static str {
    // SAFETY: both members of the union are plain numbers.
    match unsafe { info.Anonymous.Anonymous.wProcessorArchitecture } {
        PROCESSOR_ARCHITECTURE_AMD64 => "x86_64",
        PROCESSOR_ARCHITECTURE_INTEL => "i686",
        PROCESSOR_ARCHITECTURE_ARM64 => "aarch64",
        _ => "",
    }
}

/// For example 10.0.19045.
fn version() -> String {
    let mut version = OSVERSIONINFOW { dwOSVersionInfoSize: size(size_of::<OSVERSIONINFOW>()), ..Default::default() };
    // SAFETY: the structure says how long it is. Cannot fail.
    unsafe { RtlGetVersion(&mut version) };
    format!("{}.{}.{}", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber)
}

fn hostname() -> String {
    let mut name = [0u16; MOST];
    let mut length = size(name.len());
    // SAFETY: writes at most `length` characters, and then how many there are.
    let done = unsafe { GetComputerNameExW(ComputerNamePhysicalDnsHostname, name.as_mut_ptr(), &mut length) };
    if done == 0 {
        return String::new();
    }
    String::from_utf16_lossy(name.get(..length as usize).unwrap_or(&[]))
}

fn cpu_model() -> String {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::__cpuid;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::__cpuid;
    #[allow(unused_unsafe)] // safe in newer versions of Rust
    // SAFETY: every processor that Windows 10 runs on has the instruction.
    let leaf = |number| unsafe { __cpuid(number) };
    if leaf(0x8000_0000).eax < 0x8000_0004 {
        return String::new();
    }
    let bytes: Vec<u8> = (0x8000_0002..=0x8000_0004)
        .map(leaf)
        .flat_map(|part| [part.eax, part.ebx, part.ecx, part.edx])
        .flat_map(u32::to_le_bytes)
        .take_while(|byte| *byte != 0)
        .collect();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

/// Those that decide how kernels run, by the names that Linux gives them.
fn cpu_features() -> Vec<String> {
    let known = [
        ("sse2", is_x86_feature_detected!("sse2")),
        ("ssse3", is_x86_feature_detected!("ssse3")),
        ("sse4_1", is_x86_feature_detected!("sse4.1")),
        ("sse4_2", is_x86_feature_detected!("sse4.2")),
        ("popcnt", is_x86_feature_detected!("popcnt")),
        ("avx", is_x86_feature_detected!("avx")),
        ("f16c", is_x86_feature_detected!("f16c")),
        ("fma", is_x86_feature_detected!("fma")),
        ("bmi1", is_x86_feature_detected!("bmi1")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
    ];
    known.iter().filter(|(_, there)| *there).map(|(name, _)| (*name).to_owned()).collect()
}

fn memory_bytes() -> u64 {
    let mut status = MEMORYSTATUSEX { dwLength: size(size_of::<MEMORYSTATUSEX>()), ..Default::default() };
    // SAFETY: the structure says how long it is. Where it fails the number stays 0.
    unsafe { GlobalMemoryStatusEx(&mut status) };
    status.ullTotalPhys
}

fn block_devices() -> Vec<BlockDevice> {
    // Numbers of disks that were taken away are free: a gap is not the end.
    (0..64).filter_map(|number| disk(&format!("PhysicalDrive{number}"))).collect()
}

fn disk(name: &str) -> Option<BlockDevice> {
    // Without the wish to read or write no rights are needed.
    let device = OpenOptions::new().access_mode(0).open(format!(r"\\.\{name}")).ok()?;
    // Room for what follows the geometry.
    let mut answer = [0u64; 32];
    let (mut length, none) = (0, std::ptr::null_mut());
    // SAFETY: the handle is open, and the answer is as long as is said.
    let done = unsafe {
        DeviceIoControl(
            device.as_raw_handle(),
            IOCTL_DISK_GET_DRIVE_GEOMETRY_EX,
            none,
            0,
            answer.as_mut_ptr().cast(),
            size(size_of::<[u64; 32]>()),
            &mut length,
            none.cast(),
        )
    };
    if done == 0 {
        return None;
    }
    // SAFETY: the answer begins with this structure of plain numbers, and is aligned for it.
    let geometry = unsafe { &*answer.as_ptr().cast::<DISK_GEOMETRY_EX>() };
    Some(BlockDevice { name: name.to_owned(), bytes: u64::try_from(geometry.DiskSize).ok()? })
}

fn interfaces() -> Vec<String> {
    // As many bytes as Microsoft recommends, doubled; where they do not suffice the names are not told.
    let mut room = vec![0u64; 4096];
    let mut length = size(room.len() * size_of::<u64>());
    let first: *mut IP_ADAPTER_ADDRESSES_LH = room.as_mut_ptr().cast();
    let flags = GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST | GAA_FLAG_SKIP_DNS_SERVER;
    // SAFETY: the room is as long as is said, and aligned for the structure.
    let status = unsafe { GetAdaptersAddresses(u32::from(AF_UNSPEC), flags, std::ptr::null(), first, &mut length) };
    let mut names = Vec::new();
    let mut next = if status == ERROR_SUCCESS { first } else { std::ptr::null_mut() };
    while !next.is_null() && names.len() < MOST {
        // SAFETY: the call succeeded: it is a list that ends with null, inside the room, with names that end with zero.
        let adapter = unsafe { &*next };
        let length = (0..MOST).take_while(|at| unsafe { *adapter.FriendlyName.add(*at) } != 0).count();
        let name = unsafe { std::slice::from_raw_parts(adapter.FriendlyName, length) };
        names.push(String::from_utf16_lossy(name));
        next = adapter.Next;
    }
    names.sort();
    names
}

/// Lengths are 32-bit numbers here.
fn size(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(0)
}
