"""What guests start from: root directories, kernels, disks."""
