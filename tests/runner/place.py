"""What agents that are scripts answer to `facts`: a place of which little can be found out."""

FACTS = {
    "os": "Linux", "kernel": "6.1.0", "architecture": "x86_64", "bits": 64, "hostname": "", "cpu_model": "",
    "cpu_features": [], "cpus_online": 1, "cpus_allowed": 1, "memory_bytes": 0, "page_bytes": 4096,
    "clock_source": "", "pid": 1, "uid": 0, "block_devices": [], "interfaces": [],
}  # fmt: skip
