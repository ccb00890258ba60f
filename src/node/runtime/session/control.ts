import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** conmon's two orders, by number. */
export const orders = { resize: 1, reopenLog: 2 } as const;

/** Nothing happens when conmon is gone. */
export async function tellMonitor(
  fifo: string,
  order: readonly [number: number, first: number, second: number],
): Promise<void> {
  try {
    // Without waiting for a reader: there is none when conmon is gone.
    const pipe = await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      await pipe.write(`${order.join(" ")}\n`);
    } finally {
      await pipe.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENXIO" && code !== "ENOENT" && code !== "EPIPE") throw error;
  }
}
