// The pieces that the manifests of all parts are made of.

import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../src/api/types/admissionregistration.ts";
import type { DaemonSet, Deployment } from "../../src/api/types/apps.ts";
import type {
  ConfigMap,
  Container,
  PodSecurityContext,
  SecurityContext,
  Service,
  ServiceAccount,
  Volume,
  VolumeMount,
} from "../../src/api/types/core.ts";
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
} from "../../src/api/types/rbac.ts";
import { services } from "../../src/install/machine/machine.ts";

export const namespace = "kube-system";

export type DeployObject =
  | ServiceAccount
  | ClusterRole
  | ClusterRoleBinding
  | Role
  | RoleBinding
  | ConfigMap
  | Service
  | DaemonSet
  | Deployment
  | ValidatingAdmissionPolicy
  | ValidatingAdmissionPolicyBinding;

/** A program of a part: what runs, what it needs, and where it tells how it is. */
export interface Program {
  /** The name of its objects, such as `tandem-proxy`. */
  readonly name: string;
  /** The words behind `tandem`. */
  readonly command: readonly string[];
  /** Flags that the manifest depends on; everything else is in the configuration. */
  readonly flags: readonly string[];
  /** The name of its configuration file without `.yaml`, and of its entry in the table of services. */
  readonly service: string;
  /** Further files beside its configuration. */
  readonly files?: Readonly<Record<string, string>>;
  readonly image: string;
  /** The port of /livez, /readyz and /metrics; none where the program has no such server. */
  readonly healthPort?: number;
  readonly ports?: Container["ports"];
  readonly env?: Container["env"];
  readonly volumes?: readonly {
    readonly volume: Volume;
    readonly mount: Omit<VolumeMount, "name">;
  }[];
  readonly memory: string;
  readonly podSecurity?: PodSecurityContext;
  /** Whether it runs as nobody; otherwise it is root with the capabilities of the table of services. */
  readonly isUnprivileged?: boolean;
}

/** A rule of a table, which nobody may change. */
type GivenRule = { readonly [Key in keyof PolicyRule]: readonly string[] };

/** The labels of the objects of a program; `tandem-balancer-assign` is a program of the part `balancer`. */
export function labelsOf(name: string): Record<string, string> {
  return {
    "app.kubernetes.io/name": name,
    "app.kubernetes.io/component": name.split("-")[1] ?? "",
    "app.kubernetes.io/part-of": "tandem",
  };
}

export function account(name: string): ServiceAccount {
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, namespace, labels: labelsOf(name) },
  };
}

/** Rights in all namespaces. */
export function clusterRights(name: string, rules: readonly GivenRule[]): DeployObject[] {
  const labels = labelsOf(name);
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name, labels },
      rules: rules.map(copyOf),
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name, labels },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  ];
}

/** Rights in one namespace. */
export function rights(
  name: string,
  rules: readonly GivenRule[],
  place: string = namespace,
): DeployObject[] {
  const metadata = { name, namespace: place, labels: labelsOf(name) };
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata,
      rules: rules.map(copyOf),
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  ];
}

export function configuration(
  { name, service }: Pick<Program, "name" | "service">,
  text: string,
  more: Readonly<Record<string, string>> = {},
): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, labels: labelsOf(name) },
    data: { [`${service}.yaml`]: text, ...more },
  };
}

/** A service without an address, which lists every pod to whoever collects metrics. */
export function metricsService({ name, healthPort = 0 }: Program): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `${name}-metrics`, namespace, labels: labelsOf(name) },
    spec: {
      clusterIP: "None",
      ipFamilyPolicy: "PreferDualStack",
      selector: selectorOf(name),
      ports: [{ name: "metrics", port: healthPort, targetPort: healthPort, protocol: "TCP" }],
    },
  };
}

/** A pod of the program on every node, in the node's own network. */
export function onEveryNode(program: Program): DaemonSet {
  const { name } = program;
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace, labels: labelsOf(name) },
    spec: {
      selector: { matchLabels: selectorOf(name) },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } },
      template: {
        metadata: { labels: labelsOf(name) },
        spec: {
          ...commonSpec(program),
          hostNetwork: true,
          priorityClassName: "system-node-critical",
          // Also nodes that are not ready: some of these parts are what makes them so.
          tolerations: [{ operator: "Exists" }],
          containers: [containerOf(program)],
        },
      },
    },
  };
}

/** So many pods of the program, on different nodes where there are some. */
export function onSomeNodes(program: Program, replicas: number): Deployment {
  const { name } = program;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels: labelsOf(name) },
    spec: {
      replicas,
      selector: { matchLabels: selectorOf(name) },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
      template: {
        metadata: { labels: labelsOf(name) },
        spec: {
          ...commonSpec(program),
          priorityClassName: "system-cluster-critical",
          tolerations: [
            { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
            { key: "CriticalAddonsOnly", operator: "Exists" },
          ],
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 100,
                  podAffinityTerm: {
                    topologyKey: "kubernetes.io/hostname",
                    labelSelector: { matchLabels: selectorOf(name) },
                  },
                },
              ],
            },
          },
          containers: [containerOf(program)],
        },
      },
    },
  };
}

export function hostDirectory(
  name: string,
  path: string,
): { readonly volume: Volume; readonly mount: Omit<VolumeMount, "name"> } {
  return {
    volume: { name, hostPath: { path, type: "DirectoryOrCreate" } },
    mount: { mountPath: path },
  };
}

/** The name of the node, for programs that must know it. */
export const nodeName: NonNullable<Container["env"]> = [
  { name: "TANDEM_NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
];

export function selectorOf(name: string): Record<string, string> {
  return { "app.kubernetes.io/name": name };
}

function commonSpec({ name, volumes = [], podSecurity }: Program) {
  return {
    serviceAccountName: name,
    // Said here, too: an account of this name may be there already, and give pods no token by itself.
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    // Names of the cluster are of no use to what makes them work.
    dnsPolicy: "Default" as const,
    nodeSelector: { "kubernetes.io/os": "linux" },
    terminationGracePeriodSeconds: 10,
    ...(podSecurity === undefined ? {} : { securityContext: podSecurity }),
    volumes: [
      { name: "configuration", configMap: { name } },
      { name: "temporary", emptyDir: {} },
      ...volumes.map(({ volume }) => volume),
    ],
  };
}

function containerOf(program: Program): Container {
  const { name, command, flags, service, image, healthPort, env = [], volumes = [] } = program;
  const health = healthPort === undefined ? [] : [`--health-address=:${healthPort}`];
  const probe = (path: string) => ({ httpGet: { path, port: healthPort ?? 0 } });
  return {
    name: name.replace(/^tandem-/, ""),
    image,
    imagePullPolicy: "IfNotPresent",
    args: [...command, `--config=/etc/tandem/${service}.yaml`, ...health, ...flags],
    // The ConfigMap tells where the API is while its service's address leads nowhere; it need not exist.
    envFrom: [{ configMapRef: { name: "tandem-api", optional: true } }],
    ...(env.length === 0 ? {} : { env }),
    ...portsOf(program),
    ...(healthPort === undefined
      ? {}
      : {
          startupProbe: { ...probe("/livez"), periodSeconds: 1, failureThreshold: 120 },
          livenessProbe: {
            ...probe("/livez"),
            periodSeconds: 10,
            timeoutSeconds: 5,
            failureThreshold: 6,
          },
          readinessProbe: { ...probe("/readyz"), periodSeconds: 2, timeoutSeconds: 5 },
        }),
    resources: { requests: { cpu: "20m", memory: program.memory } },
    securityContext: confinementOf(program),
    volumeMounts: [
      { name: "configuration", mountPath: "/etc/tandem", readOnly: true },
      { name: "temporary", mountPath: "/tmp" },
      ...volumes.map(({ volume, mount }) => ({ name: volume.name, ...mount })),
    ],
  };
}

function portsOf({ healthPort, ports = [] }: Program): Pick<Container, "ports"> {
  const metrics =
    healthPort === undefined
      ? []
      : [{ name: "metrics", containerPort: healthPort, protocol: "TCP" as const }];
  const all = [...ports, ...metrics];
  return all.length === 0 ? {} : { ports: all };
}

/** The same confinement that the unit of the service has on machines. */
function confinementOf({ service, isUnprivileged = false }: Program): SecurityContext {
  const add = isUnprivileged ? [] : capabilitiesOf(service);
  return {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    seccompProfile: { type: "RuntimeDefault" },
    capabilities: { drop: ["ALL"], ...(add.length === 0 ? {} : { add }) },
    ...(isUnprivileged ? { runAsNonRoot: true, runAsUser: 65_534, runAsGroup: 65_534 } : {}),
  };
}

function capabilitiesOf(service: string): string[] {
  const { confinement } = services.find(({ name }) => name === service) ?? {};
  if (confinement?.type !== "capabilities") {
    throw new Error(`Cannot deploy ${service}: the table of services has no confinement for it`);
  }
  return confinement.capabilities.map((each) => each.replace("CAP_", ""));
}

function copyOf({ verbs, apiGroups = [], resources = [], resourceNames }: GivenRule): PolicyRule {
  return {
    apiGroups: [...apiGroups],
    resources: [...resources],
    ...(resourceNames === undefined ? {} : { resourceNames: [...resourceNames] }),
    verbs: [...verbs],
  };
}
