import type { Client } from "../../../api/client/client.ts";
import type { Informer, Informers } from "../../../api/client/informer.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { Node, Pod } from "../../../api/types/core.ts";
import { clusterView, type Infrastructure, infrastructures } from "./cluster-view.ts";
import type { KnownVips } from "./known-vips.ts";
import { encodeReport, reportAnnotation } from "./report.ts";
import type { NodeReport, VipSource, VipView } from "./source.ts";

export interface ApiSourceOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly node: string;
  /** The cluster's name, instead of that of the Infrastructure object. */
  readonly clusterName?: string | undefined;
  /** The label selector of ingress pods. */
  readonly ingressSelector: string;
}

/** Reads the cluster from its API. What was read stays valid while the API is unreachable. */
export class ApiSource implements VipSource {
  readonly #options: ApiSourceOptions;
  readonly #nodeClient: ResourceClient<Node>;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #infrastructures: Informer<Infrastructure>;

  constructor(options: ApiSourceOptions) {
    const { client, informers, ingressSelector } = options;
    this.#options = options;
    this.#nodeClient = client.resource("v1", "Node");
    this.#nodes = informers.of(this.#nodeClient);
    this.#pods = informers.of(client.resource("v1", "Pod"), { labelSelector: ingressSelector });
    this.#infrastructures = informers.of(client.custom<Infrastructure>(infrastructures));
  }

  async read(_signal?: AbortSignal, known?: KnownVips): Promise<VipView> {
    for (const informer of this.#informers()) {
      if (!informer.isSynced) throw new Error(`Cannot tell the ${informer.name}: not read yet`);
    }
    const infrastructure = this.#infrastructures.get("cluster");
    if (infrastructure === undefined) {
      throw new Error("Cannot tell the VIPs: there is no Infrastructure object named cluster");
    }
    return clusterView({
      infrastructure,
      nodes: this.#nodes.list(),
      ingressPods: this.#pods.list(),
      clusterName: this.#options.clusterName,
      known,
    });
  }

  subscribe(changed: () => void): () => void {
    const leave = this.#informers().map((informer) => informer.subscribe(changed));
    for (const { synced } of this.#informers()) void synced.then(changed);
    return () => {
      for (const each of leave) each();
    };
  }

  async publish(report: NodeReport, signal: AbortSignal): Promise<void> {
    const annotations = { [reportAnnotation]: encodeReport(report) };
    const merge = { metadata: { annotations } };
    await this.#nodeClient.patch({ name: this.#options.node }, { merge }, { signal });
  }

  #informers(): Subscribable[] {
    return [this.#nodes, this.#pods, this.#infrastructures];
  }
}

interface Subscribable {
  readonly name: string;
  readonly isSynced: boolean;
  readonly synced: Promise<void>;
  subscribe(add: () => void): () => void;
}
