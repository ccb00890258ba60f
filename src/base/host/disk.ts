/** The size of a file system and what is free of it. */
export interface DiskUsage {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

/** Looks at the file system that a directory is on. */
export type ReadDisk = (directory: string) => Promise<DiskUsage>;
