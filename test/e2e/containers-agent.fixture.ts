// A program that starts containers until it is killed: `node containers-agent.fixture.ts OPTIONS`.

import { systemCommands } from "../../src/base/host/command.system.ts";
import { defined } from "../../src/base/json/defined.ts";
import { openContainers } from "../../src/node/runtime/containers.system.ts";
import { openImages } from "../../src/node/runtime/images/open.system.ts";
import type { ContainerSpec } from "../../src/node/runtime/port.ts";

export interface AgentOptions {
  readonly images: string;
  readonly containers: string;
  readonly cgroup?: string;
  readonly specs: readonly ContainerSpec[];
}

if (process.argv[2] !== undefined) await runAgent(JSON.parse(process.argv[2]) as AgentOptions);

async function runAgent(options: AgentOptions): Promise<void> {
  const commands = systemCommands();
  const images = await openImages({
    directory: options.images,
    commands,
    builtIn: { host: { hidden: [] } },
  });
  const { cgroup } = options;
  const containers = await openContainers({
    directory: options.containers,
    commands,
    images,
    ...defined({ cgroup }),
  });
  process.stdout.write("open\n");
  for (;;) {
    await Promise.all(
      options.specs.map(async (spec) => {
        await containers.start(spec);
        await containers.remove(spec.id);
      }),
    );
  }
}
