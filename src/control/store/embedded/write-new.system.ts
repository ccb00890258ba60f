// Makes the files of an embedded store from the contents of another: one snapshot, with the revisions that
// entries had.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { KeptEntry } from "../backup/contents.ts";
import type { Revision } from "../port.ts";
import { fileName, syncDirectory } from "./directory.system.ts";
import { FrameBuilder } from "./record.ts";
import { Segment } from "./segment.system.ts";

const frameBytes = 1 << 20;

/**
 * Writes a new directory durably. The store begins at `revision`, and everything before it is compacted, so that
 * watches of clients that saw later revisions of the lost store begin anew.
 */
export async function writeEmbedded(
  directory: string,
  { revision, entries }: { revision: Revision; entries: AsyncIterable<KeptEntry> },
): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
  const segment = await Segment.create(join(directory, fileName(1, "snapshot")));
  try {
    const frame = new FrameBuilder();
    const flush = () => {
      segment.write(frame.finish(segment.salt));
      frame.clear();
    };
    for await (const { key, value, created, modified } of entries) {
      frame.add({ kind: "put", key, created, modified, expires: 0 }, value);
      if (frame.size >= frameBytes) flush();
    }
    frame.add({ kind: "mark", modified: revision, created: revision, expires: 0, key: "" });
    flush();
    await segment.sync();
  } finally {
    segment.retire();
  }
  syncDirectory(directory);
}
