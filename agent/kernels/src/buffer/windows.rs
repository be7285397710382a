//! Committed memory of Windows.

use std::io;
use std::mem::size_of;
use windows_sys::Win32::Foundation::{CloseHandle, ERROR_SUCCESS, HANDLE, LUID};
use windows_sys::Win32::Security::{
    AdjustTokenPrivileges, LookupPrivilegeValueW, LUID_AND_ATTRIBUTES, SE_LOCK_MEMORY_NAME, SE_PRIVILEGE_ENABLED,
    TOKEN_ADJUST_PRIVILEGES, TOKEN_PRIVILEGES,
};
use windows_sys::Win32::System::Memory::{
    GetLargePageMinimum, VirtualAlloc, VirtualFree, MEM_COMMIT, MEM_LARGE_PAGES, MEM_RELEASE, MEM_RESERVE,
    PAGE_READWRITE, VIRTUAL_ALLOCATION_TYPE,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Pages that nobody else has.
pub(super) struct Mapping {
    start: *mut u8,
    bytes: usize,
    huge: bool,
}

impl Mapping {
    pub(super) fn new(bytes: usize) -> io::Result<Self> {
        match allocate(bytes, 0) {
            Some(start) => Ok(Mapping { start, bytes, huge: false }),
            None => Err(io::Error::last_os_error()),
        }
    }

    pub(super) fn start(&self) -> *mut u8 {
        self.start
    }

    /// Large pages are granted when memory is allocated, to users who may lock pages in memory: this mapping is
    /// replaced by another. Where that is refused it has small pages.
    pub(super) fn request_huge_pages(&mut self, huge: bool) {
        // SAFETY: tells a number.
        let page = unsafe { GetLargePageMinimum() };
        if huge == self.huge || (huge && (page == 0 || !may_lock_pages())) {
            return;
        }
        let (bytes, kind) =
            if huge { ((self.bytes + page - 1) / page * page, MEM_LARGE_PAGES) } else { (self.bytes, 0) };
        if let Some(start) = allocate(bytes, kind) {
            release(self.start);
            (self.start, self.huge) = (start, huge);
        }
    }

    /// Large pages are always whole.
    pub(super) fn huge_share(&self) -> Option<f64> {
        Some(if self.huge { 1.0 } else { 0.0 })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        release(self.start);
    }
}

fn allocate(bytes: usize, kind: VIRTUAL_ALLOCATION_TYPE) -> Option<*mut u8> {
    // SAFETY: new memory at an address of the system's choice touches no memory that is in use.
    let start = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE | MEM_COMMIT | kind, PAGE_READWRITE) };
    (!start.is_null()).then(|| start.cast())
}

fn release(start: *mut u8) {
    // SAFETY: the memory came from allocate, and nothing borrows it any more. A failure would only keep it.
    unsafe { VirtualFree(start.cast(), 0, MEM_RELEASE) };
}

/// Claim the right to large pages, for those who have it but did not claim it.
fn may_lock_pages() -> bool {
    let mut token: HANDLE = std::ptr::null_mut();
    let mut luid = LUID { LowPart: 0, HighPart: 0 };
    // SAFETY: all pointers are to values that live here, and the token is closed once.
    unsafe {
        if OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES, &mut token) == 0 {
            return false;
        }
        let known = LookupPrivilegeValueW(std::ptr::null(), SE_LOCK_MEMORY_NAME, &mut luid) != 0;
        let privilege = LUID_AND_ATTRIBUTES { Luid: luid, Attributes: SE_PRIVILEGE_ENABLED };
        let requested = TOKEN_PRIVILEGES { PrivilegeCount: 1, Privileges: [privilege] };
        let (none, nothing) = (std::ptr::null_mut(), std::ptr::null_mut());
        let heard = known && AdjustTokenPrivileges(token, 0, &requested, 0, none, nothing) != 0;
        // The call succeeds also when the right is not granted, and says so here.
        let granted = heard && io::Error::last_os_error().raw_os_error() == i32::try_from(ERROR_SUCCESS).ok();
        CloseHandle(token);
        granted
    }
}

/// Physical memory that is free, or the rest of the address space where that is less.
pub(super) fn available_memory() -> u64 {
    let length = u32::try_from(size_of::<MEMORYSTATUSEX>()).unwrap_or(0);
    let mut status = MEMORYSTATUSEX { dwLength: length, ..MEMORYSTATUSEX::default() };
    // SAFETY: the structure says how long it is. Where it fails there is no memory.
    unsafe { GlobalMemoryStatusEx(&mut status) };
    status.ullAvailPhys.min(status.ullAvailVirtual)
}
