// The Helm chart: the objects of the bases as templates, in which the image and the configurations are values.

import { stringify } from "yaml";
import { imageRepository } from "../dist/image/build-image.ts";
import type { DeployObject } from "./objects.ts";

interface ChartSource {
  readonly version: string;
  readonly bases: ReadonlyMap<string, Readonly<Record<string, readonly DeployObject[]>>>;
  /** Name of a file → the definition of a kind in it. */
  readonly definitions: ReadonlyMap<string, string>;
}

/** Path below the chart → content. */
export function chartFiles(source: ChartSource): ReadonlyMap<string, string> {
  const files = new Map([
    ["Chart.yaml", chart(source)],
    ["values.yaml", values(source)],
    ["templates/api.yaml", apiTemplate],
  ]);
  for (const [name, text] of source.definitions) files.set(`crds/${name}`, text);
  for (const [part, base] of source.bases) {
    const texts = Object.values(base)
      .flat()
      .map((object) => template(part, object, source));
    files.set(
      `templates/${part}.yaml`,
      `{{- if .Values.${part}.enabled }}\n${texts.join("---\n")}{{- end }}\n`,
    );
  }
  return files;
}

function chart({ version }: ChartSource): string {
  return stringify({
    apiVersion: "v2",
    name: "tandem",
    description:
      "Parts of Tandem beside a stock Kubernetes; docs/beside-kubernetes.md tells how each replaces another.",
    type: "application",
    version,
    appVersion: version,
    kubeVersion: ">=1.30.0-0",
  });
}

function values({ bases }: ChartSource): string {
  const lines = [
    "# The image of all parts; the tag is this chart's version when it is empty.",
    "image:",
    `  repository: ${imageRepository}`,
    '  tag: ""',
    "",
    "# Where the API servers are reached without the address of their service. The proxy must know it, since that address",
    "# is of no use before the proxy has run; the others need it where it is to work without the proxy.",
    "api:",
    '  host: ""',
    "  port: 6443",
  ];
  for (const [part, { configuration = [] }] of bases) {
    lines.push("", `${part}:`, "  enabled: false");
    const names = configuration.map(({ metadata }) => metadata.name);
    lines.push(
      `  # Options of each program, as its configuration file takes them: see bases/${part}/configuration.yaml.`,
      "  config:",
      ...names.map((name) => `    ${name}: {}`),
    );
  }
  return `${lines.join("\n")}\n`;
}

const apiTemplate = `{{- if .Values.api.host }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: tandem-api
  namespace: kube-system
  labels:
    app.kubernetes.io/part-of: tandem
data:
  KUBERNETES_SERVICE_HOST: {{ .Values.api.host | quote }}
  KUBERNETES_SERVICE_PORT: {{ .Values.api.port | quote }}
{{- end }}
`;

function template(part: string, object: DeployObject, { version }: ChartSource): string {
  const text = stringify(object, { lineWidth: 0 });
  if (text.includes("{{")) {
    throw new Error(`Cannot make a template of ${object.kind} ${object.metadata.name}: it has {{`);
  }
  const named = text.replaceAll(
    `image: ${imageRepository}:${version}\n`,
    "image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}\n",
  );
  return object.kind === "ConfigMap" ? withValues(part, object.metadata.name, named) : named;
}

/** Puts the configuration of the values in place of the file in which nothing is set. */
function withValues(part: string, name: string, text: string): string {
  const given = `(index .Values.${part}.config ${JSON.stringify(name)})`;
  const [, head = "", file = "", rest = ""] =
    /^([^]*?\n {2}[a-z-]+\.yaml: \|\n)((?:(?: {4}.*)?\n)+)([^]*)$/.exec(text) ?? [];
  if (file === "") throw new Error(`Cannot make a template of ConfigMap ${name}: no file is in it`);
  return [
    head,
    `{{- if ${given} }}\n{{ toYaml ${given} | indent 4 }}\n{{- else }}\n`,
    file,
    "{{- end }}\n",
    rest,
  ].join("");
}
