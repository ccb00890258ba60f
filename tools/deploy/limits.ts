// What roles cannot say: that an account of a DaemonSet may change what belongs to the node of its pod, and no other's. A
// token tells the node of its pod since Kubernetes 1.30, and admission policies compare it with the object.

import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../src/api/types/admissionregistration.ts";
import { labelsOf, namespace } from "./objects.ts";

interface Limit {
  /** The program whose account is limited. */
  readonly name: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly operations: ("CREATE" | "UPDATE" | "DELETE")[];
  /** CEL expressions that all must hold; `node` is the name of the pod's node, empty if the token tells none. */
  readonly validations: readonly { readonly expression: string; readonly message: string }[];
}

const nodeKey = "authentication.kubernetes.io/node-name";

export function ownNodeOnly(
  limit: Limit,
): [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding] {
  const name = `${limit.name}-own-node`;
  const labels = labelsOf(limit.name);
  return [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name, labels },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [limit.apiGroup],
              apiVersions: ["*"],
              operations: limit.operations,
              resources: [limit.resource],
            },
          ],
        },
        matchConditions: [
          {
            name: "account",
            expression: `request.userInfo.username == "system:serviceaccount:${namespace}:${limit.name}"`,
          },
        ],
        variables: [
          {
            name: "node",
            expression: `has(request.userInfo.extra) && "${nodeKey}" in request.userInfo.extra ? request.userInfo.extra["${nodeKey}"][0] : ""`,
          },
        ],
        validations: limit.validations.map((each) => ({ ...each })),
      },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name, labels },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}
