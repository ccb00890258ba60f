// Tries all cells of a check of policies: each pod sends everything it has to at once.

import { describeError } from "../../../base/program/errors.ts";
import { placeText } from "../../echo/echo.ts";
import { execute } from "../exec.ts";
import { type Settling, settle, startMs } from "../settle.ts";
import type { Cell } from "./cells.ts";
import { container } from "./deploy.ts";

export interface CellResult extends Cell {
  readonly verdict: "passed" | "failed";
  /** What came back, as tandem-echo says it. */
  readonly found: string;
}

export async function tryCells(
  cells: readonly Cell[],
  settling: Settling,
): Promise<readonly CellResult[]> {
  return await settle(
    {
      questions: cells,
      ask: async (open, tell) => {
        const bySender = Map.groupBy(open, ({ from }) => from);
        await Promise.all([...bySender.values()].map((some) => send(some, tell, settling)));
      },
      mayChange: ({ verdict }) => verdict !== "passed",
      describe: (count) => `${count} packets`,
    },
    settling,
  );
}

/** Sends the packets of cells that have one sender. */
async function send(
  cells: readonly Cell[],
  tell: (cell: Cell, result: CellResult) => void,
  { access, timeoutMs, signal }: Settling,
): Promise<void> {
  const [first] = cells;
  if (first === undefined) return;
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
  for (const [index, cell] of cells.entries()) {
    const said = "failure" in found ? found.failure : (found.get(places[index] ?? "") ?? "nothing");
    tell(cell, judge(cell, said));
  }
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
