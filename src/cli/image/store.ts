// Opens the image store for `tandem image`, as the user who owns its files.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ImageStore } from "../../node/runtime/runtime.ts";
import { openImages } from "../../node/runtime/runtime.ts";
import { asOwner, clusterMachine, dataPlaces } from "../../programs/up/up.ts";

interface StoreOptions {
  readonly name: string;
  readonly imageDir?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Does the work in this process, or runs this program again as the owner of the files; returns the exit code.
 */
export async function withImages(
  options: StoreOptions,
  env: Environment,
  work: (images: ImageStore) => Promise<void>,
): Promise<number> {
  const machine = await clusterMachine(env);
  const directory = options.imageDir ?? (await defaultDirectory(machine, options.name));
  const owner = asOwner(machine);
  if (owner.length > 0) return await again([...owner, "--"], directory);
  await work(await openImages({ directory, commands: machine.commands }));
  return 0;
}

/** The image store of a machine that is a node: the agent's default. */
const nodesDirectory = "/var/lib/tandem-agent/images";

async function defaultDirectory(
  { records }: Awaited<ReturnType<typeof clusterMachine>>,
  name: string,
): Promise<string> {
  const record = await records.read(name);
  return record === undefined ? nodesDirectory : dataPlaces(record.dataDir).images;
}

async function again(prefix: readonly string[], directory: string): Promise<number> {
  const own = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const [program, ...args] = [...prefix, ...own, `--image-dir=${directory}`];
  const child = spawn(program, args, { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}
