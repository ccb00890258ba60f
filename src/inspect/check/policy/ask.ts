// Tries all cells of a check of policies: each pod sends everything it has to at once.

import type { Access } from "../../../api/client/access.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { describeError } from "../../../base/program/errors.ts";
import type { Progress } from "../../../base/program/progress.ts";
import { placeText } from "../../echo/echo.ts";
import { execute } from "../exec.ts";
import type { Cell } from "./cells.ts";
import { container } from "./deploy.ts";

export interface CellResult extends Cell {
  readonly verdict: "passed" | "failed";
  /** What came back, as tandem-echo says it. */
  readonly found: string;
}

interface Asking {
  readonly access: Access;
  readonly clock: Clock;
  readonly progress: Progress;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How long cells that are not as policies say are tried again: other nodes follow new pods after a moment. */
const settlingMs = 10_000;
const pauseMs = 500;
const startMs = 30_000;

export async function tryCells(
  cells: readonly Cell[],
  asking: Asking,
): Promise<readonly CellResult[]> {
  const { clock, progress, signal } = asking;
  const settled = clock.monotonic() + settlingMs;
  const results = new Map<Cell, CellResult>();
  let open = cells;
  for (let round = 0; open.length > 0; round++) {
    if (round > 0) {
      if (round > 1 && clock.monotonic() > settled) break;
      await clock.sleep(pauseMs, signal);
    }
    const bySender = Map.groupBy(open, ({ from }) => from);
    await progress.step(`${open.length} packets${round > 0 ? " again" : ""}`, () =>
      Promise.all(
        [...bySender.values()].map(async (some) => {
          for (const result of await send(some, asking)) results.set(result.cell, result.result);
        }),
      ),
    );
    open = open.filter((cell) => results.get(cell)?.verdict !== "passed");
  }
  return cells.flatMap((cell) => results.get(cell) ?? []);
}

/** Sends the packets of cells that have one sender. */
async function send(cells: readonly Cell[], { access, timeoutMs, signal }: Asking) {
  const [first] = cells;
  if (first === undefined) return [];
  const { namespace, name: pod } = first.from;
  const places = cells.map(({ destination: host, protocol, port }) =>
    placeText({ protocol, host, port }),
  );
  const command = ["tandem-echo", "reach", `--timeout=${timeoutMs}ms`, ...places];
  const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + startMs)]);
  const found = await execute(access, { namespace, pod, container, command, signal: late }).then(
    ({ stdout, stderr }) => foundOf(stdout) ?? { failure: stderr.trim() },
    (error: unknown) => {
      signal.throwIfAborted();
      return { failure: describeError(error) };
    },
  );
  return cells.map((cell, index) => {
    const said = "failure" in found ? found.failure : (found.get(places[index] ?? "") ?? "nothing");
    return { cell, result: judge(cell, said) };
  });
}

function foundOf(stdout: string): ReadonlyMap<string, string> | undefined {
  const lines = stdout.split("\n").filter(Boolean);
  if (lines.length === 0) return undefined;
  return new Map(
    lines.map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)];
    }),
  );
}

/** A refusal has come from the pod itself, so the packet has passed. */
function judge(cell: Cell, found: string): CellResult {
  const isRight = cell.passes ? ["answered", "refused"].includes(found) : found === "silent";
  return { ...cell, verdict: isRight ? "passed" : "failed", found };
}
