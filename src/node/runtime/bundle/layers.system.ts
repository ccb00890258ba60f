import { chmod, chown, mkdir, stat } from "node:fs/promises";
import type { Layer } from "./layers.ts";

/**
 * Makes the upper and work directories. The upper directory gets the mode and owner of the lower one, since
 * the container sees it as its root; `shift` is the first user id of the container's user namespace.
 */
export async function makeLayer({ lower, upper, work }: Layer, shift = 0): Promise<void> {
  const [{ mode, uid, gid }] = await Promise.all([
    stat(lower),
    mkdir(upper, { recursive: true }),
    mkdir(work, { recursive: true }),
  ]);
  await chmod(upper, mode & 0o7777);
  await chown(upper, uid + shift, gid + shift).catch((error: NodeJS.ErrnoException) => {
    // The owner may not be mapped in the user namespace that we run in.
    if (error.code !== "EPERM" && error.code !== "EINVAL") throw error;
  });
}
