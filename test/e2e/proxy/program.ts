// `tandem proxy run` on the node of a lab, beside a `tandem server` that has the lab's objects.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningCommand } from "../../../src/base/host/command.ts";
import { defined } from "../../../src/base/json/defined.ts";
import { families } from "../../../src/base/net/family.ts";
import { addressOf, networkOf } from "../../../src/node/proxy/plan/testing/scenario.ts";
import type { Lab } from "./lab.ts";

export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
  };
  readonly spec?: object;
}

interface Status {
  readonly mode: string;
  readonly families: readonly {
    readonly family: string;
    readonly synced?: Readonly<Record<string, string>>;
    readonly error?: string;
  }[];
  readonly problems: Readonly<Record<string, readonly string[]>>;
}

const launcher = new URL("../../../bin/tandem", import.meta.url).pathname;
const patience = 30_000;

export class ProxyProgram implements AsyncDisposable {
  readonly #lab: Lab;
  readonly #kubeconfig: string;
  readonly #running: RunningCommand[] = [];
  readonly #output: string[] = [];
  #proxy: RunningCommand | undefined;

  private constructor(lab: Lab) {
    this.#lab = lab;
    this.#kubeconfig = join(lab.scratch, "kubeconfig");
  }

  /** With a server, but no proxy yet. */
  static async open(lab: Lab): Promise<ProxyProgram> {
    const program = new ProxyProgram(lab);
    await program.#start([
      launcher,
      "server",
      `--data-dir=${join(lab.scratch, "server")}`,
      "--listen=127.0.0.1:6443",
      `--kubeconfig-out=${join(lab.scratch, "kubeconfig")}`,
      `--service-cidr=${families.map((family) => networkOf("services", family)).join(",")}`,
      "--controllers=",
    ]);
    await program.until("there is a kubeconfig", () => program.#readCredentials());
    await program.until("the server serves", async () => {
      const answer = await program.api("/api/v1").catch(() => undefined);
      return answer?.kind === "APIResourceList";
    });
    return program;
  }

  async startProxy(mode: string, ...more: readonly string[]): Promise<void> {
    const each = (of: (family: (typeof families)[number]) => unknown): string =>
      families.map(of).join(",");
    this.#proxy = await this.#start([
      launcher,
      "proxy",
      "run",
      `--mode=${mode}`,
      "--node=here",
      `--bind-address=${each((family) => addressOf("node", family))}`,
      `--cluster-cidr=${each((family) => networkOf("pods", family))}`,
      `--kubeconfig=${this.#kubeconfig}`,
      ...more,
    ]);
    await this.until("everything is in the kernel", async () => {
      const { families: all = [] } = (await this.status()) ?? {};
      return all.length > 0 && all.every(({ synced }) => synced !== undefined);
    });
  }

  /** Another program in its place, which is told of the kubeconfig. */
  async startOther(command: readonly string[]): Promise<void> {
    this.#proxy = await this.#start([...command, `--kubeconfig=${this.#kubeconfig}`]);
  }

  /** As its service manager would, or as the kernel does when memory runs out. */
  async stopProxy(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    this.#proxy?.kill(signal);
    await this.#proxy?.exited;
  }

  /** `tandem` with these arguments, on the node. */
  async tandem(...args: readonly string[]): Promise<string> {
    return (await this.#lab.node.run([launcher, ...args])).stdout;
  }

  /** Creates or changes them, and returns them as they are then. */
  async put(objects: readonly ApiObject[]): Promise<readonly ApiObject[]> {
    const written: ApiObject[] = [];
    for (const object of objects) {
      const path = `${pathOf(object)}?fieldManager=test&force=true`;
      const stdin = JSON.stringify(object);
      const type = "content-type: application/apply-patch+yaml";
      written.push(
        await this.api(path, {
          args: ["--request", "PATCH", "--header", type, "--data", "@-"],
          stdin,
        }),
      );
    }
    return written;
  }

  async putStatus(object: ApiObject & { readonly status: object }): Promise<void> {
    const type = "content-type: application/merge-patch+json";
    const stdin = JSON.stringify({ status: object.status });
    const args = ["--request", "PATCH", "--header", type, "--data", "@-"];
    await this.api(`${pathOf(object)}/status`, { args, stdin });
  }

  async get(object: ApiObject): Promise<ApiObject> {
    return this.api(pathOf(object));
  }

  /** By curl, on the node, which the API server has to itself. */
  async api(
    path: string,
    { args = [], stdin }: { args?: readonly string[]; stdin?: string } = {},
  ): Promise<ApiObject> {
    const { scratch, node } = this.#lab;
    const files = ["cacert", "cert", "key"].flatMap((name) => [`--${name}`, join(scratch, name)]);
    const flags = ["--silent", "--show-error", "--fail-with-body", "--max-time", "50"];
    const url = `https://127.0.0.1:6443${path}`;
    const { stdout } = await node.run(
      ["curl", ...flags, ...files, ...args, url],
      defined({ stdin }),
    );
    return JSON.parse(stdout) as ApiObject;
  }

  async status(): Promise<Status | undefined> {
    const text = await this.#get("http://127.0.0.1:10249/status");
    return text === "" ? undefined : (JSON.parse(text) as Status);
  }

  /** Until the status says that both families have what was just put. */
  async synced(resource: string, objects: readonly ApiObject[]): Promise<void> {
    const wanted = Math.max(...objects.map(({ metadata }) => Number(metadata.resourceVersion)));
    await this.until(`${resource} ${wanted} are in the kernel`, async () => {
      const { families: all = [] } = (await this.status()) ?? {};
      return all.length > 0 && all.every(({ synced }) => Number(synced?.[resource]) >= wanted);
    });
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + patience;
    while (!(await isSo())) {
      if (Date.now() > deadline) {
        throw new Error(`Cannot wait until ${what}:\n${this.#output.slice(-40).join("\n")}`);
      }
      await sleep(20);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of this.#running.toReversed()) await running.stop();
  }

  async #readCredentials(): Promise<boolean> {
    const text = await readFile(this.#kubeconfig, "utf8").catch(() => "");
    const of = (name: string): string | undefined =>
      new RegExp(`${name}-data: (.*)`).exec(text)?.[1];
    const data = {
      cacert: of("certificate-authority"),
      cert: of("client-certificate"),
      key: of("client-key"),
    };
    for (const [name, encoded = ""] of Object.entries(data)) {
      if (encoded === "") return false;
      await writeFile(join(this.#lab.scratch, name), Buffer.from(encoded, "base64"), {
        mode: 0o600,
      });
    }
    return true;
  }

  async #get(url: string): Promise<string> {
    try {
      return (await this.#lab.node.run(["curl", "--silent", "--max-time", "5", url])).stdout;
    } catch (error) {
      if (error instanceof Error && "exitCode" in error) return "";
      throw error;
    }
  }

  async #start(command: readonly string[]): Promise<RunningCommand> {
    const running = await this.#lab.node.start(command, {
      diesWithParent: true,
      onLine: (line) => this.#output.push(line),
    });
    this.#running.push(running);
    return running;
  }
}

const plurals: Readonly<Record<string, string>> = {
  Namespace: "namespaces",
  Service: "services",
  EndpointSlice: "endpointslices",
  Node: "nodes",
};

function pathOf({ apiVersion, kind, metadata: { name, namespace } }: ApiObject): string {
  const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${base}${place}/${plurals[kind]}/${name}`;
}
