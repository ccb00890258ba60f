export interface WriteOptions {
  /** 0644 when not given; the umask has no say. */
  readonly mode?: number;
}

export interface Files {
  /** The text of a file, or nothing when there is none. */
  read(path: string): Promise<string | undefined>;
  /** Puts the file in place as a whole and for good: no crash leaves half of it or takes it back. */
  write(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void>;
  /** Also succeeds when there is none. */
  remove(path: string): Promise<void>;
  /** Names in a directory, sorted; none when there is no such directory. */
  list(directory: string): Promise<readonly string[]>;
  /** A directory that only its owner can enter, with the directories above it. */
  makePrivateDirectory(path: string): Promise<void>;
  /**
   * Removes what writes left behind whose process was killed. Only for the one that writes there: it
   * would pull the rug from under another's write.
   */
  removeUnfinishedWrites(directory: string): Promise<void>;
}
