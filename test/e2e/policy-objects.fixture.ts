// Policies and a Service of the namespace x.

/** Only x/a reaches x/c, on TCP port 8080. */
export const onlyA = policy("only-a", {
  podSelector: { matchLabels: { app: "c" } },
  ingress: [
    {
      from: [{ podSelector: { matchLabels: { app: "a" } } }],
      ports: [{ port: 8080, protocol: "TCP" }],
    },
  ],
  policyTypes: ["Ingress"],
});
/** Nothing but TCP port 8080, in either direction. */
export const onlyHttp = policy("only-http", {
  podSelector: {},
  ingress: [{ ports: [{ port: 8080, protocol: "TCP" }] }],
  egress: [{ ports: [{ port: 8080, protocol: "TCP" }] }],
  policyTypes: ["Ingress", "Egress"],
});

/** Nobody reaches pods of x, and they reach nobody. */
export const nothing = policy("nothing", { podSelector: {}, policyTypes: ["Ingress", "Egress"] });

export const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "x", name: "c" },
  spec: {
    type: "NodePort",
    ipFamilyPolicy: "PreferDualStack",
    selector: { app: "c" },
    ports: [{ port: 80, targetPort: 8080 }],
  },
};

export function policy(name: string, spec: object) {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { namespace: "x", name },
    spec,
  };
}
