// Of all ways to reach services, on how many the genuine kube-proxy and ours agree.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Benchmark, type Figures, higher } from "./harness.ts";
import type { Parity } from "./proxy/parity.ts";
import { checkPeer } from "./proxy/subjects.ts";

export default {
  title: "services as kube-proxy serves them",
  groups: () => [
    {
      name: "connections from a pod, the node and two clients",
      cases: {
        tandem: async () => {
          await checkPeer();
          return compare;
        },
      },
    },
  ],
} satisfies Benchmark;

async function compare(): Promise<Figures> {
  const program = join(import.meta.dirname, "proxy/parity.ts");
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", program], { env });
  const [, found = "{}"] = /ℹ (\{.*\})/.exec(stdout) ?? [];
  const { same, all } = JSON.parse(found) as Parity;
  return { agreement: higher((100 * same) / all, "%"), ways: higher(all, "ways") };
}
