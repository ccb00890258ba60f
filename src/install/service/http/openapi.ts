import { defined } from "../../../base/json/defined.ts";
import { version } from "../../../base/program/version.ts";
import { basePath, type Operation, operations } from "./operations.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.0 document of the service. */
export function openApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = `${basePath}${operation.path}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: "3.0.3",
    info: {
      title: "Tandem install service",
      version,
      description: "Clusters to be installed, with their virtual addresses and networks.",
    },
    paths,
    components: { schemas: { ...schemas, Error: errorSchema } },
  };
}

function describe(operation: Operation): object {
  const names = [...operation.path.matchAll(/{(\w+)}/g)].map((match) => match[1] ?? "");
  const changes = operation.method === "PATCH" || operation.method === "DELETE";
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, schema: text() })),
    ...(changes ? [ifMatch] : []),
  ];
  return {
    operationId: operation.id,
    summary: operation.summary,
    parameters,
    ...(operation.takes !== undefined && {
      requestBody: { required: true, content: json(reference(operation.takes)) },
    }),
    responses: {
      [operation.status]: {
        description: operation.summary,
        ...(operation.gives !== undefined && { content: json(reference(operation.gives)) }),
      },
      default: { description: "Why not.", content: json(reference("Error")) },
    },
  };
}

const ifMatch = {
  name: "If-Match",
  in: "header",
  description:
    "The ETag of what was read: the change is refused with 412 when it is another one by now.",
  schema: text(),
};

const vips = list(
  object({ ip: text("An IPv4 or IPv6 address.") }),
  "In order: the first one has the cluster's primary family. At most one a family.",
);
const networks = list(object({ cidr: text() }), "In order: the first one has the primary family.");

const writable: Record<string, Schema> = {
  name: text(),
  base_dns_domain: text(),
  openshift_version: text(),
  api_vip: { ...text("Use api_vips, of which this is the first."), deprecated: true },
  api_vips: vips,
  ingress_vip: { ...text("Use ingress_vips, of which this is the first."), deprecated: true },
  ingress_vips: vips,
  machine_networks: networks,
  cluster_networks: list(object({ cidr: text(), host_prefix: { type: "integer" } })),
  service_networks: networks,
  user_managed_networking: { type: "boolean" },
  vip_dhcp_allocation: { type: "boolean" },
};

const schemas: Record<string, Schema> = {
  ClusterCreate: { ...object(writable), required: ["name", "base_dns_domain"] },
  ClusterUpdate: object(writable),
  Cluster: object({
    ...writable,
    id: text(),
    kind: text(),
    generation: { type: "integer", description: "Counts the changes." },
    created_at: text(),
    updated_at: text(),
    kube_key_namespace: text(),
    kube_key_name: text(),
  }),
  ClusterList: list(reference("Cluster")),
};

const errorSchema = object({
  kind: text(),
  id: { type: "integer" },
  code: text(),
  reason: text("Everything that is wrong, in one line."),
  problems: list(text()),
});

function text(description?: string): Schema {
  return { type: "string", ...defined({ description }) };
}

function object(properties: Record<string, Schema>): Schema {
  return { type: "object", properties };
}

function list(items: Schema, description?: string): Schema {
  return { type: "array", items, ...defined({ description }) };
}

function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function json(schema: Schema): object {
  return { "application/json": { schema } };
}
