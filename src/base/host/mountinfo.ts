// The kernel's table of mounts, as /proc/PID/mountinfo shows it.

export interface Mount {
  readonly point: string;
  /** The options of this mount, such as `nosuid`. */
  readonly options: readonly string[];
  /** The type of the file system. */
  readonly type: string;
  /** The options of the file system, which all its mounts share: for cgroup v1, its controllers. */
  readonly ofFileSystem: readonly string[];
}

/** Parses the text of a mountinfo file. Later mounts hide earlier ones on the same point. */
export function parseMountinfo(text: string): readonly Mount[] {
  return text.split("\n").flatMap((line) => {
    const [head = "", tail = ""] = line.split(" - ");
    const [, , , , point, options = ""] = head.split(" ");
    const [type = "", , ofFileSystem = ""] = tail.split(" ");
    if (point === undefined) return [];
    return [
      {
        point: unescaped(point),
        options: options.split(","),
        type,
        ofFileSystem: ofFileSystem.split(","),
      },
    ];
  });
}

/** Decodes the octal escapes that the kernel writes for blanks, tabs, newlines and backslashes. */
function unescaped(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
