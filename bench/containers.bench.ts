// Starting a container, and where its time goes: against `runc run` of the same bundle.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCommands } from "../src/base/host/command.system.ts";
import { isNotInstalled } from "../src/base/host/error.ts";
import { openContainers } from "../src/node/runtime/containers.system.ts";
import { openImages } from "../src/node/runtime/images/open.system.ts";
import { systemCgroups } from "../src/node/runtime/machine/cgroups.system.ts";
import type { ContainerSpec, NodeContainers } from "../src/node/runtime/port.ts";
import { type Benchmark, type Case, distribution, type Group, Unavailable } from "./harness.ts";

export default {
  title: "starting a container of the host image",
  groups: () => [
    group("one after the other", { rounds: 10, atOnce: 1 }),
    group("ten at once, until the last runs", { rounds: 2, atOnce: 10 }),
    {
      name: "where the time of one goes",
      cases: {
        "overlay in a mount namespace": measured({ rounds: 10, atOnce: 1 }, mounting),
        "runc create": measured({ rounds: 10, atOnce: 1 }, creating),
        "runc start": measured({ rounds: 10, atOnce: 1 }, starting),
      },
    },
  ],
} satisfies Benchmark;

const cgroup = "/tandem-bench";

interface Size {
  readonly rounds: number;
  readonly atOnce: number;
}

/** One start under a new id; what it returns undoes it, and is not timed. */
type Start = (id: string) => Promise<Trial>;

interface Trial {
  /** What is timed. */
  readonly run: () => Promise<unknown>;
  readonly undo: () => Promise<unknown>;
}

type Prepare = (bench: Bench) => Start;

function group(name: string, size: Size): Group {
  return {
    name,
    baseline: "runc run",
    cases: {
      "tandem: overlay, conmon, runc": measured(size, throughTandem),
      "runc run": measured(size, runcRun),
    },
  };
}

function measured({ rounds, atOnce }: Size, prepare: Prepare): Case {
  return async (scope) => {
    const start = prepare(await openBench(scope));
    let next = 0;
    return async () => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const ids = Array.from({ length: atOnce }, () => `bench-${next++}`);
        const trials = await Promise.all(ids.map(start));
        const began = performance.now();
        await Promise.all(trials.map((trial) => trial.run()));
        times.push(performance.now() - began);
        await Promise.all(trials.map((trial) => trial.undo()));
      }
      return distribution(times);
    };
  };
}

function throughTandem({ containers, spec }: Bench): Start {
  return (id) =>
    Promise.resolve({
      run: () => containers.start(spec(id)),
      undo: () => containers.remove(id),
    });
}

function runcRun(bench: Bench): Start {
  return (id) => bench.bundle(id, (runc) => runc("run", "--detach", "--bundle", ".", id));
}

function creating(bench: Bench): Start {
  return (id) => bench.bundle(id, (runc) => runc("create", "--bundle", ".", id));
}

function starting(bench: Bench): Start {
  return async (id) => {
    const created = await creating(bench)(id);
    await created.run();
    return { ...created, run: () => bench.runc("start", id) };
  };
}

/** The wrapper that conmon is started with, around a program that does nothing. */
function mounting({ commands, layers }: Bench): Start {
  return async (id) => {
    const { directory, options } = await layers(id);
    const script = 'mount -t overlay overlay -o "$1" rootfs && exec true';
    const words = ["unshare", "--mount", "--propagation=slave", "sh", "-c", script, "sh", options];
    return { run: () => commands.run(words, { cwd: directory }), undo: () => remove(directory) };
  };
}

type Runc = (...words: readonly string[]) => Promise<unknown>;

interface Bench {
  readonly commands: ReturnType<typeof systemCommands>;
  readonly containers: NodeContainers;
  readonly spec: (id: string) => ContainerSpec;
  readonly runc: Runc;
  /** The directories of an overlay of the same image. */
  readonly layers: (
    id: string,
  ) => Promise<{ readonly directory: string; readonly options: string }>;
  /** The same bundle, mounted and ready. */
  readonly bundle: (id: string, run: (runc: Runc) => Promise<unknown>) => Promise<Trial>;
}

async function openBench(scope: AsyncDisposableStack): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), "tandem-bench-containers-"));
  scope.defer(() => remove(directory));
  const commands = systemCommands();
  const builtIn = { host: { hidden: [] } };
  const images = await openImages({ directory: join(directory, "images"), commands, builtIn });
  const containers = await openContainers({
    directory: join(directory, "containers"),
    commands,
    images,
    cgroup,
  }).catch(unavailable);
  scope.defer(() => containers.close());
  scope.defer(async () => await (await systemCgroups()).clear(cgroup));
  const labels = { podUid: "u", podNamespace: "n", podName: "p", container: "c" };
  const spec = (id: string): ContainerSpec => ({
    id,
    labels: { ...labels, kind: "container", attempt: 0 },
    image: "tandem.internal/host",
    command: ["sleep", "600"],
    environment: {},
    namespaces: {},
    mounts: [],
    logPath: join(directory, "logs", id),
  });
  const config = await readConfig(containers, { spec: spec("model"), directory });
  const { directory: lower, mounts } = await images.rootOf("tandem.internal/host");
  const root = `--root=${join(directory, "runc")}`;
  const layers: Bench["layers"] = async (id) => {
    const own = join(directory, "bundles", id);
    for (const name of ["upper", "work", "rootfs"]) {
      await mkdir(join(own, name), { recursive: true });
    }
    const options = `lowerdir=${lower},upperdir=${own}/upper,workdir=${own}/work,volatile`;
    return { directory: own, options };
  };
  return {
    commands,
    containers,
    spec,
    layers,
    runc: (...words) => commands.run(["runc", root, ...words]),
    async bundle(id, run) {
      const { directory: own, options } = await layers(id);
      const model = join(directory, "containers/containers/model");
      // What the helper has mounted for the model is mounted from where it is.
      const direct = mounts.reduce(
        (text, { source }, index) => text.replace(`"${model}/mounts/${index}"`, `"${source}"`),
        config,
      );
      const text = direct.replaceAll(model, own).replaceAll("/model", `/${id}`);
      await writeFile(join(own, "config.json"), text);
      const rootfs = join(own, "rootfs");
      await commands.run(["mount", "-t", "overlay", "overlay", "-o", options, rootfs]);
      const here: Runc = (...words) =>
        commands.run(["sh", "-c", 'exec "$@" > /dev/null 2>&1', "sh", "runc", root, ...words], {
          cwd: own,
        });
      return {
        run: () => run(here),
        async undo() {
          await commands.run(["runc", root, "delete", "--force", id]);
          await commands.run(["umount", rootfs]);
          await remove(own);
        },
      };
    },
  };
}

/** The configuration of a container. */
async function readConfig(
  containers: NodeContainers,
  { spec, directory }: { readonly spec: ContainerSpec; readonly directory: string },
): Promise<string> {
  const own = join(directory, "containers/containers", spec.id);
  await containers.start(spec);
  try {
    return await readFile(join(own, "config.json"), "utf8");
  } finally {
    await containers.remove(spec.id);
  }
}

async function remove(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

function unavailable(error: unknown): never {
  if (isNotInstalled(error)) throw new Unavailable(error.message, { cause: error });
  throw error;
}
