// Valid objects and odd queries that fuzzed requests start from.
import type { Resource } from "../../src/api/schema/resource.ts";
import type { JsonObject } from "../../src/base/json/value.ts";
import type { Random } from "./random.ts";

/** Returns an object of the resource: a whole one of the kinds below, else one with fields that many kinds have. */
export function sample({ group, version, kind }: Resource, random: Random): JsonObject {
  const labels = { app: "fuzz" };
  const name = random.of(["one", "two", ""]);
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    metadata: { name, labels, annotations: { note: "é\u0000☃" } },
    ...(whole[kind] ?? common(labels, random)),
  };
}

const container = { name: "c", image: "i", ports: [{ containerPort: 80 }], env: [{ name: "A" }] };

function common(labels: JsonObject, random: Random): JsonObject {
  return {
    spec: {
      replicas: 1,
      selector: random.chance(0.5) ? labels : { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
      containers: [container],
      ports: [{ port: 80, targetPort: "http" }],
      resources: { requests: { cpu: "100m", storage: "1Gi" } },
    },
    data: { key: "value" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  };
}

/** Kinds with languages of their own: selectors, addresses, cron, CEL, schemas, certificates. */
const whole: Readonly<Record<string, JsonObject>> = {
  Service: {
    spec: {
      type: "LoadBalancer",
      selector: { app: "fuzz" },
      ipFamilyPolicy: "PreferDualStack",
      ipFamilies: ["IPv6", "IPv4"],
      clusterIPs: ["fd00:96::9", "10.96.0.99"],
      externalIPs: ["192.0.2.1", "2001:db8::1"],
      loadBalancerSourceRanges: ["192.0.2.0/24"],
      ports: [{ name: "a", port: 80, nodePort: 30_123, protocol: "UDP", appProtocol: "h2c" }],
    },
  },
  NetworkPolicy: {
    spec: {
      podSelector: { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] },
      ingress: [
        { from: [{ ipBlock: { cidr: "fd00::/8", except: ["fd01::/16"] } }, { podSelector: {} }] },
      ],
      egress: [{ ports: [{ protocol: "TCP", port: 1, endPort: 65_535 }] }],
    },
  },
  CronJob: {
    spec: {
      schedule: "*/5 0-23/2 1,15 JAN-DEC 1-5",
      timeZone: "Europe/Paris",
      jobTemplate: { spec: { template: { spec: { containers: [container] } } } },
    },
  },
  CustomResourceDefinition: {
    spec: {
      group: "fuzz.example",
      scope: "Namespaced",
      names: { plural: "ones", singular: "one", kind: "One", listKind: "OneList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    a: { type: "string", pattern: "^(a+)+$", maxLength: 9 },
                    l: { type: "array", maxItems: 9, items: { type: "integer" } },
                  },
                  "x-kubernetes-validations": [{ rule: "self.l.all(x, x > 0) && self.a != ''" }],
                },
              },
            },
          },
          additionalPrinterColumns: [{ name: "a", type: "string", jsonPath: ".spec['a'][0:2]" }],
        },
      ],
    },
  },
  ValidatingAdmissionPolicy: {
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["x"], apiVersions: ["*"], operations: ["CREATE"], resources: ["none"] },
        ],
      },
      variables: [{ name: "v", expression: "object.metadata.labels.map(k, k + 'a')" }],
      validations: [
        {
          expression: "variables.v.exists_one(x, x.matches('^(a|aa)+$')) || has(object.spec.a)",
          messageExpression: "'no: ' + string(size(variables.v))",
        },
      ],
    },
  },
  CertificateSigningRequest: {
    spec: {
      request: Buffer.from(
        "-----BEGIN CERTIFICATE REQUEST-----\nMIG7MGMCAQAwADBZ\n-----END CERTIFICATE REQUEST-----\n",
      ).toString("base64"),
      signerName: "example.com/fuzz",
      usages: ["client auth"],
    },
  },
};

/** Queries of lists, watches and single objects, sensible and not. */
export const queries: readonly string[] = [
  "?limit=1",
  "?limit=-1",
  "?limit=99999999999999999999",
  "/one",
  "?labelSelector=a%20in%20(b,c)",
  "?labelSelector=a%20in%20(b,c),!d,e%21%3Df,g%20notin%20()",
  `?labelSelector=${"a,".repeat(2000)}a`,
  "?fieldSelector=metadata.name%3Da",
  "?fieldSelector=spec.nope%3D%5C%2C,metadata.namespace!%3Dx",
  "/one?pretty=true",
  "?limit=9&continue=e30",
  "?limit=9&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0Ijoi4piDIn0",
  "?resourceVersion=1&resourceVersionMatch=Exact",
  "?resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=2",
  "?resourceVersion=99999999999999&timeoutSeconds=1",
  "?resourceVersion=-1",
  "?resourceVersion=x&resourceVersionMatch=Maybe",
  "/one/status",
  "/one/scale",
  "/one/nope",
  "/one?dryRun=All&dryRun=None&fieldValidation=Odd",
  "/one?gracePeriodSeconds=-9&propagationPolicy=Sideways",
  "?includeObject=Everything",
  "?watch=true",
  "?watch=1&resourceVersion=1",
  "?watch=true&resourceVersion=99999999999999&timeoutSeconds=1",
  "?watch=true&timeoutSeconds=-1",
  "?watch=true&timeoutSeconds=99999999999999",
  "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
  "?watch=true&sendInitialEvents=true",
  "?watch=maybe&labelSelector=((",
  "?watch=true&fieldSelector=metadata.name%3Done&labelSelector=app%3Dfuzz",
  "/one?watch=true",
];
