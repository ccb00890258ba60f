// Genuine Helm renders the same objects from the chart as kubectl from the kustomize bases.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { parseAllDocuments } from "yaml";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { parts } from "../../tools/deploy/manifests.ts";

const root = join(import.meta.dirname, "../..");
const commands = systemCommands();

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
}

describe("the chart", { timeout: 1_800_000 }, () => {
  let helm: string;
  let kubectl: string;

  const run = async (words: readonly string[]): Promise<string> =>
    (await commands.run(words, { cwd: root, timeoutMs: 1_200_000 })).stdout.trim();
  const template = async (...values: string[]): Promise<ReadonlyMap<string, Rendered>> => {
    const set = values.flatMap((value) => ["--set", value]);
    const about = ["--namespace=kube-system", "--kube-version=1.36.0"];
    return objectsIn(await run([helm, "template", "tandem", "deploy/chart", ...about, ...set]));
  };

  before(async () => {
    helm = await run(["bench/peers/build", "helm"]);
    kubectl = await run(["tools/fetch-kubectl", "1.32"]);
  });

  for (const { name } of parts) {
    test(`[INST-6] has the objects of the base ${name}`, async () => {
      const base = objectsIn(await run([kubectl, "kustomize", `deploy/bases/${name}`]));
      assert.deepEqual(await template(`${name}.enabled=true`), base);
    });
  }

  test("[INST-6] has nothing that nobody asked for", async () => {
    assert.deepEqual([...(await template()).keys()], []);
  });

  test("[INST-6] puts the image, the place of the API and configurations into the objects", async () => {
    const objects = await template(
      "dns.enabled=true",
      "image.repository=registry.example/tandem",
      "image.tag=9",
      "api.host=2001:db8::10",
      "dns.config.tandem-dns.ttl=30",
    );
    const deployment = JSON.stringify(objects.get("Deployment tandem-dns"));
    assert.match(deployment, /"image":"registry\.example\/tandem:9"/);
    assert.deepEqual(objects.get("ConfigMap tandem-api")?.data, {
      KUBERNETES_SERVICE_HOST: "2001:db8::10",
      KUBERNETES_SERVICE_PORT: "6443",
    });
    assert.deepEqual(objects.get("ConfigMap tandem-dns")?.data, { "dns.yaml": "ttl: 30\n" });
  });
});

function objectsIn(text: string): ReadonlyMap<string, Rendered> {
  const documents = parseAllDocuments(text).map((one) => one.toJS() as Rendered | null);
  return new Map(
    documents
      .filter((each) => each !== null)
      .map((each) => [`${each.kind} ${each.metadata.name}`, each] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
