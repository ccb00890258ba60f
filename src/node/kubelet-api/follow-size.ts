// Follows the terminal size of the client: the latest size counts, and sizes are set one after the other, so
// that an older one cannot be the last.

import type { Log } from "../../base/program/log.ts";
import type { RemoteCommand, TerminalSize } from "../../base/streaming/remote-command-types.ts";
import type { ContainerSession } from "../runtime/runtime.ts";

export function followSize(
  remote: Pick<RemoteCommand, "onResize">,
  session: Pick<ContainerSession, "resize">,
  log: Log,
): void {
  let wanted: TerminalSize | undefined;
  let isBusy = false;
  const follow = async (): Promise<void> => {
    isBusy = true;
    while (wanted !== undefined) {
      const { width: columns, height: rows } = wanted;
      wanted = undefined;
      try {
        await session.resize({ columns, rows });
      } catch (error) {
        // A failure is no reason to end the session, which is useful in any size.
        log.warn("Cannot set the size of a terminal", { columns, rows, error });
      }
    }
    isBusy = false;
  };
  remote.onResize((size) => {
    wanted = size;
    if (!isBusy) void follow();
  });
}
