import type { Node } from "../../api/types/core.ts";
import type { CommandExit } from "../../base/host/command.ts";
import type { Files } from "../../base/host/files.ts";
import { defined } from "../../base/json/defined.ts";
import type { FoundCluster } from "./find-cluster.ts";
import type { ProgramState } from "./kept-program.ts";
import { dataPlaces } from "./places.ts";
import { processesAround } from "./processes.ts";

export interface ClusterStatus {
  readonly name: string;
  readonly api: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly programs: readonly ProgramStatus[];
  readonly nodes: readonly NodeStatus[];
  /** The addresses at which ingress is reached from outside, if there is any. */
  readonly ingress?: readonly string[];
  /** All other processes in the enclosure: pods and their supervision. */
  readonly others: { readonly processes: number; readonly memoryBytes: number };
}

export interface ProgramStatus {
  readonly name: string;
  readonly isRunning: boolean;
  /** The PID on this machine. */
  readonly pid?: number;
  readonly memoryBytes?: number;
  readonly restarts: number;
  readonly lastExit?: CommandExit;
  readonly log: string;
}

export interface NodeStatus {
  readonly name: string;
  readonly isReady: boolean;
  readonly addresses: readonly string[];
  readonly podCidrs: readonly string[];
}

/** Objects read from the API; empty if it does not answer. */
export interface ClusterObjects {
  readonly nodes: readonly Node[];
  readonly ingress: readonly string[] | undefined;
}

interface State {
  /** The PID inside of the enclosure. */
  readonly supervisor: number;
  readonly programs: readonly ProgramState[];
}

export async function clusterStatus(
  { record, init }: FoundCluster,
  files: Files,
  readObjects: () => Promise<ClusterObjects>,
): Promise<ClusterStatus> {
  const places = dataPlaces(record.dataDir);
  const text = await files.read(places.state);
  const { supervisor, programs } =
    text === undefined ? { supervisor: 0, programs: [] } : (JSON.parse(text) as State);
  const processes = await processesAround(init);
  const found = [{ name: "supervisor", pid: supervisor, restarts: 0 }, ...programs].map(
    ({ pid: innerPid, ...program }) => {
      const process = processes.find((each) => each.innerPid === innerPid && innerPid !== 0);
      const log = `${places.logs}/${program.name}.log`;
      if (process === undefined) return { ...program, isRunning: false, log };
      const { pid, memoryBytes } = process;
      return { ...program, isRunning: true, pid, memoryBytes, log };
    },
  );
  const own = new Set(found.flatMap((program) => ("pid" in program ? [program.pid] : [])));
  const others = processes.filter(({ pid }) => !own.has(pid) && pid !== init);
  const { nodes, ingress } = await readObjects();
  return {
    name: record.name,
    api: `https://127.0.0.1:${record.port}`,
    kubeconfig: places.kubeconfig,
    dataDir: record.dataDir,
    programs: found,
    nodes: nodes.map(nodeStatus),
    ...defined({ ingress }),
    others: {
      processes: others.length,
      memoryBytes: others.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    },
  };
}

function isReady({ status }: Node): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value }) => type === "Ready" && value === "True",
  );
}

function nodeStatus(node: Node): NodeStatus {
  return {
    name: node.metadata.name ?? "",
    isReady: isReady(node),
    addresses: (node.status?.addresses ?? [])
      .filter(({ type }) => type === "InternalIP")
      .map(({ address }) => address),
    podCidrs: node.spec?.podCIDRs ?? [],
  };
}
