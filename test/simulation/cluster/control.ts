// A controller process: the real controllers under the real leader election.

import type { ControllerEntry } from "../../../src/control/controllers/context.ts";
import { runElected } from "../../../src/control/controllers/elected.ts";
import { endpointsControllers } from "../../../src/control/controllers/endpoints/controllers.ts";
import { nodeControllers } from "../../../src/control/controllers/nodes/controllers.ts";
import { scheduling } from "../../../src/control/controllers/scheduler/controller.ts";
import type { Process } from "../process.ts";
import { Violation } from "../simulation.ts";
import type { World } from "../world.ts";

/** The processes that lead at present. */
export class Leaders {
  readonly #leading = new Set<Process>();

  check(): void {
    const leading = [...this.#leading].filter(({ isAlive }) => isAlive);
    if (leading.length < 2) return;
    throw new Violation(`${leading.map(({ name }) => name).join(" and ")} lead at once`);
  }

  /** A controller that does nothing but lead. */
  witness(process: Process): ControllerEntry {
    return {
      name: "witness",
      create: () => ({
        name: "witness",
        run: async (signal) => {
          this.#leading.add(process);
          await new Promise<void>((resolve) => {
            signal.addEventListener("abort", () => resolve(), { once: true });
            if (signal.aborted) resolve();
          });
          this.#leading.delete(process);
        },
      }),
    };
  }
}

export function controllers(world: World, leaders: Leaders) {
  return async (process: Process): Promise<void> => {
    await runElected(
      {
        entries: [
          leaders.witness(process),
          ...endpointsControllers,
          ...nodeControllers({ clusterCidrs: [] }),
          scheduling,
        ],
        identity: world.incarnation(process.name),
        client: world.clientOf(process),
        ...process.settings,
      },
      new AbortController().signal,
    );
  };
}
