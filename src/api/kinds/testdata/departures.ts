// Deliberate departures from Kubernetes' answers. The recordings keep those answers; a test fails when a
// departure agrees with them after all.
export interface Departure {
  readonly why: string;
  readonly where: readonly string[];
}

export const departures: readonly Departure[] = [
  {
    why: "one message for whatever is not a JSON object, instead of the parser's own",
    where: [
      'secret {"set":{"type":"kubernetes.io/dockercfg","data[\'.dockercfg\']":"e319"}}',
      'secret {"set":{"type":"kubernetes.io/dockerconfigjson","data[\'.dockerconfigjson\']":"W10="}}',
    ],
  },
  {
    why: "no multicast address is an endpoint, not only no link-local one",
    where: [
      'slice {"set":{"endpoints[0].addresses":["224.0.0.1"]}}',
      'slice6 {"set":{"endpoints[0].addresses":["ff02::1"]}}',
    ],
  },
  {
    why: "IPv4-mapped IPv6 is no address at all",
    where: ['slice6 {"set":{"endpoints[0].addresses":["::ffff:10.0.0.1"]}}'],
  },
  {
    why: "one text form for every quantity, without exception",
    where: [
      'pod {"set":{"spec.containers[0].resources":{"requests":{"memory":"+1"}}}}',
      'pod {"set":{"spec.containers[0].resources":{"requests":{"memory":"5E3"}}}}',
    ],
  },
  {
    why: "volumes made of images are kept, as later versions of Kubernetes do",
    where: ['pod {"set":{"spec.volumes":[{"name":"v","image":{"reference":"nginx"}}]}}'],
  },
  {
    why: "what is wrong inside a selector is told once, not a second time of the whole",
    where: ["deployment", "replicaset", "statefulset"].flatMap((owner) =>
      [
        { matchLabels: { app: "not ok" } },
        { matchExpressions: [{ key: "app", operator: "In" }] },
        { matchExpressions: [{ key: "app", operator: "Exists", values: ["x"] }] },
        { matchExpressions: [{ key: "a b", operator: "Near" }] },
      ].map((selector) => `${owner} ${JSON.stringify({ set: { "spec.selector": selector } })}`),
    ),
  },
  {
    why: "the same of the selectors of a role that gathers others",
    where: [
      'clusterrole {"set":{"aggregationRule":{"clusterRoleSelectors":[{"matchExpressions":[{"key":"a","operator":"In"}]}]}}}',
    ],
  },
  {
    why: "daemon sets do not count the changes of their template in a deprecated annotation",
    where: [
      "daemonset {}",
      'daemonset {"update":{"spec.template.spec.containers[0].image":"nginx:1.26"}}',
    ],
  },
  {
    why: "a job may be complete without the conditions and times that its controller adds first",
    where: [
      'job {"status":{"status.conditions":[{"type":"Complete","status":"True"}],"status.startTime":"2024-01-01T00:00:00Z","status.succeeded":1}}',
    ],
  },
  {
    why: "octets with leading zeros make no address at all",
    where: [
      'ipaddress {"set":{"metadata.name":"010.96.0.77"}}',
      'servicecidr {"set":{"spec.cidrs":["010.97.0.0/16"]}}',
    ],
  },
  {
    why: "what may not change is also told when it is not there any more",
    where: ['servicecidr {"update":{"spec.cidrs":[]}}'],
  },
  {
    why: "that there is no storage version, or more than one, is told of the versions alone",
    where: [
      'crd {"set":{"spec":null}}',
      'crd {"set":{"spec.versions":[]}}',
      'crd {"set":{"spec.versions":null}}',
      'crd {"set":{"spec.versions[0].storage":false}}',
      ...["v1", "v2"].map((name) => {
        const schema = {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { image: { type: "string" }, replicas: { type: "integer" } },
              },
            },
          },
        };
        const version = { name, served: true, storage: true, schema };
        return `crd ${JSON.stringify({ set: { "spec.versions[1]": version } })}`;
      }),
    ],
  },
  {
    why: "no webhook converts between versions",
    where: ['crd {"set":{"spec.conversion":{"strategy":"Webhook"}}}'],
  },
  {
    why: "a pod's addresses may be in files, too",
    where: [
      'pod {"set":{"spec.volumes":[{"name":"v","downwardAPI":{"items":[{"path":"x","fieldRef":{"fieldPath":"status.podIP"}}]}}]}}',
    ],
  },
];
