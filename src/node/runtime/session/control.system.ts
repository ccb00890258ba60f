import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { systemCode } from "../../../base/program/errors.ts";

/** The numbers of conmon's control messages. */
export const orders = { resize: 1, reopenLog: 2 } as const;

/** Writes a control message to conmon's FIFO; a no-op when conmon is gone. */
export async function tellMonitor(
  fifo: string,
  order: readonly [number: number, first: number, second: number],
): Promise<void> {
  try {
    // O_NONBLOCK keeps the open from waiting for a reader, since there is none when conmon is gone.
    const pipe = await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      await pipe.write(`${order.join(" ")}\n`);
    } finally {
      await pipe.close();
    }
  } catch (error) {
    const code = systemCode(error);
    if (code !== "ENXIO" && code !== "ENOENT" && code !== "EPIPE") throw error;
  }
}
