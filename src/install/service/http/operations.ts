// The operations of the REST API. The server and its OpenAPI document both come from this table.

import { clusterDocument } from "../clusters/cluster.ts";
import type { ClusterService } from "../clusters/service.ts";

export interface Call {
  /** The path parameters, by the names in braces. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The generation in the `If-Match` header. */
  readonly generation: number | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body?: object;
  /** The generation, which becomes the `ETag` header. */
  readonly generation?: number;
}

export interface Operation {
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path, such as `/clusters/{cluster_id}`. */
  readonly path: string;
  readonly summary: string;
  /** The schema of the request's body. */
  readonly takes?: "ClusterCreate" | "ClusterUpdate";
  readonly status: number;
  /** The schema of the response body. */
  readonly gives?: "Cluster" | "ClusterList";
  run(service: ClusterService, call: Call): Promise<Answer>;
}

export const basePath = "/api/assisted-install/v2";

const clusterPath = "/clusters/{cluster_id}";

export const operations: readonly Operation[] = [
  {
    id: "v2RegisterCluster",
    method: "POST",
    path: "/clusters",
    summary: "Create a cluster.",
    takes: "ClusterCreate",
    status: 201,
    gives: "Cluster",
    run: async (service, { body }) => answer(201, await service.create(body)),
  },
  {
    id: "v2ListClusters",
    method: "GET",
    path: "/clusters",
    summary: "List all clusters, in the order they were created in.",
    status: 200,
    gives: "ClusterList",
    run: async (service) => ({ status: 200, body: (await service.list()).map(clusterDocument) }),
  },
  {
    id: "v2GetCluster",
    method: "GET",
    path: clusterPath,
    summary: "Read a cluster.",
    status: 200,
    gives: "Cluster",
    run: async (service, { parameters }) => answer(200, await service.get(idOf(parameters))),
  },
  {
    id: "v2UpdateCluster",
    method: "PATCH",
    path: clusterPath,
    summary: "Change what is given of a cluster, and nothing else.",
    takes: "ClusterUpdate",
    status: 201,
    gives: "Cluster",
    run: async (service, { parameters, body, generation }) =>
      answer(201, await service.update(idOf(parameters), body, generation)),
  },
  {
    id: "v2DeregisterCluster",
    method: "DELETE",
    path: clusterPath,
    summary: "Delete a cluster.",
    status: 204,
    async run(service, { parameters, generation }) {
      await service.delete(idOf(parameters), generation);
      return { status: 204 };
    },
  },
];

type Cluster = Awaited<ReturnType<ClusterService["get"]>>;

function answer(status: number, cluster: Cluster): Answer {
  return { status, body: clusterDocument(cluster), generation: cluster.generation };
}

function idOf(parameters: Call["parameters"]): string {
  return parameters["cluster_id"] ?? "";
}
