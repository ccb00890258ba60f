export interface WriteOptions {
  /** The file's mode: 0644 when not given; the umask does not apply. */
  readonly mode?: number;
}

export interface Files {
  /** The text of a file; undefined when there is none. */
  read(path: string): Promise<string | undefined>;
  /** Writes the file atomically and durably: no crash leaves half of it or takes it back. */
  write(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void>;
  /** Removes a file; succeeds also when there is none. */
  remove(path: string): Promise<void>;
  /** The names in a directory, sorted; none when there is no such directory. */
  list(directory: string): Promise<readonly string[]>;
  /** Makes a directory that only its owner can enter, with the directories above it. */
  makePrivateDirectory(path: string): Promise<void>;
  /**
   * Removes the temporary files of writers that were killed. Only for the one process that writes to the
   * directory: the temporary file of another's write under way would be removed, too.
   */
  removeUnfinishedWrites(directory: string): Promise<void>;
}
