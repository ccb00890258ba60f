// The flow schemas and priority levels that every cluster has: Kubernetes' own, and one for our controllers.

import type { ApiObject } from "../../../api/kinds/kind.ts";
import type {
  FlowSchema,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  ResourcePolicyRule,
  Subject,
} from "../../../api/types/flowcontrol.ts";
import { defined } from "../../../base/json/defined.ts";
import { controllersUser } from "../security/controllers-role.ts";

const apiVersion = "flowcontrol.apiserver.k8s.io/v1";

export function defaultFlowObjects(): { plural: string; object: ApiObject }[] {
  return [
    ...levels.map((object) => ({ plural: "prioritylevelconfigurations", object })),
    ...schemas.map((object) => ({ plural: "flowschemas", object })),
  ].map(({ plural, object }) => ({ plural, object: structuredClone(object) as ApiObject }));
}

const levels: readonly PriorityLevelConfiguration[] = [
  level("exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  level("catch-all", {
    type: "Limited",
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: "Reject" } },
  }),
  level("system", queued(30, 33, [64, 6])),
  level("node-high", queued(40, 25, [64, 6])),
  level("leader-election", queued(10, 0, [16, 4])),
  level("workload-high", queued(40, 50, [128, 6])),
  level("workload-low", queued(100, 90, [128, 6])),
  level("global-default", queued(20, 50, [128, 6])),
];

const user = (name: string): Subject => ({ kind: "User", user: { name } });
const group = (name: string): Subject => ({ kind: "Group", group: { name } });
const account = (namespace: string, name: string): Subject => ({
  kind: "ServiceAccount",
  serviceAccount: { namespace, name },
});
const everybody = [group("system:unauthenticated"), group("system:authenticated")];
const managers = [
  user("system:kube-controller-manager"),
  user("system:kube-scheduler"),
  user(controllersUser),
];
const renewal = ["get", "create", "update", "patch"];

const schemas: readonly FlowSchema[] = [
  schema("exempt", {
    precedence: 1,
    level: "exempt",
    rules: [everything(group("system:masters"))],
  }),
  schema("probes", {
    precedence: 2,
    level: "exempt",
    rules: [
      {
        subjects: everybody,
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
      },
    ],
  }),
  schema("system-leader-election", {
    precedence: 100,
    level: "leader-election",
    by: "ByUser",
    rules: [
      {
        subjects: [...managers, account("kube-system", "*")],
        resourceRules: [resources(renewal, ["coordination.k8s.io"], ["leases"])],
      },
    ],
  }),
  schema("endpoint-controller", {
    precedence: 150,
    level: "workload-high",
    by: "ByUser",
    rules: [
      {
        subjects: [
          user("system:kube-controller-manager"),
          user(controllersUser),
          account("kube-system", "endpoint-controller"),
          account("kube-system", "endpointslicemirroring-controller"),
        ],
        resourceRules: [
          resources(["get", "create", "update"], [""], ["endpoints"]),
          resources(
            ["create", "get", "list", "update", "delete"],
            ["discovery.k8s.io"],
            ["endpointslices"],
          ),
        ],
      },
    ],
  }),
  schema("workload-leader-election", {
    precedence: 200,
    level: "leader-election",
    by: "ByUser",
    rules: [
      {
        subjects: [account("kube-system", "*")],
        resourceRules: [
          resources(["get", "create", "update"], [""], ["endpoints", "configmaps"]),
          resources(["get", "create", "update"], ["coordination.k8s.io"], ["leases"]),
        ],
      },
    ],
  }),
  schema("system-node-high", {
    precedence: 400,
    level: "node-high",
    by: "ByUser",
    rules: [
      {
        subjects: [group("system:nodes")],
        resourceRules: [
          resources(["*"], [""], ["nodes", "nodes/status"], true),
          resources(["*"], ["coordination.k8s.io"], ["leases"]),
        ],
      },
    ],
  }),
  schema("system-nodes", {
    precedence: 500,
    level: "system",
    by: "ByUser",
    rules: [everything(group("system:nodes"))],
  }),
  schema("kube-controller-manager", {
    precedence: 800,
    level: "workload-high",
    by: "ByNamespace",
    rules: [everything(user("system:kube-controller-manager"), user(controllersUser))],
  }),
  schema("kube-scheduler", {
    precedence: 800,
    level: "workload-high",
    by: "ByNamespace",
    rules: [everything(user("system:kube-scheduler"))],
  }),
  schema("kube-system-service-accounts", {
    precedence: 900,
    level: "workload-high",
    by: "ByNamespace",
    rules: [everything(account("kube-system", "*"))],
  }),
  schema("service-accounts", {
    precedence: 9000,
    level: "workload-low",
    by: "ByUser",
    rules: [everything(group("system:serviceaccounts"))],
  }),
  schema("global-default", {
    precedence: 9900,
    level: "global-default",
    by: "ByUser",
    rules: [everything(...everybody)],
  }),
  schema("catch-all", {
    precedence: 10_000,
    level: "catch-all",
    by: "ByUser",
    rules: [everything(...everybody)],
  }),
];

function level(name: string, spec: PriorityLevelConfiguration["spec"]): PriorityLevelConfiguration {
  return {
    apiVersion,
    kind: "PriorityLevelConfiguration",
    metadata: { name, ...autoupdate() },
    spec,
  };
}

function queued(
  nominalConcurrencyShares: number,
  lendablePercent: number,
  [queues, handSize]: [number, number],
): PriorityLevelConfiguration["spec"] {
  const queuing = { queues, handSize, queueLengthLimit: 50 };
  return {
    type: "Limited",
    limited: {
      nominalConcurrencyShares,
      lendablePercent,
      limitResponse: { type: "Queue", queuing },
    },
  };
}

function schema(
  name: string,
  about: {
    precedence: number;
    level: string;
    by?: "ByUser" | "ByNamespace";
    rules: PolicyRulesWithSubjects[];
  },
): FlowSchema {
  return {
    apiVersion,
    kind: "FlowSchema",
    metadata: { name, ...autoupdate() },
    spec: {
      matchingPrecedence: about.precedence,
      priorityLevelConfiguration: { name: about.level },
      ...(about.by === undefined ? {} : { distinguisherMethod: { type: about.by } }),
      rules: about.rules,
    },
  };
}

function autoupdate() {
  return { annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } };
}

function everything(...subjects: Subject[]): PolicyRulesWithSubjects {
  return {
    subjects,
    resourceRules: [resources(["*"], ["*"], ["*"], true)],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  };
}

function resources(
  verbs: string[],
  apiGroups: string[],
  names: string[],
  clusterScope?: true,
): ResourcePolicyRule {
  return {
    verbs,
    apiGroups,
    resources: names,
    ...defined({ clusterScope }),
    namespaces: ["*"],
  };
}
