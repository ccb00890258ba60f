// A webhook server that runs in the network of a pod: it adds a field to every ConfigMap, and refuses to let
// anybody enter pods. The certificate's authority is its first line of output.
import {
  patching,
  startHookServer,
} from "../../src/control/apiserver/admission/webhooks/testing/hook-server.ts";

const hooks = await startHookServer({ dnsNames: ["hooks.default.svc"], host: "::", port: 8443 });
hooks.on("/mark", () => patching([{ op: "add", path: "/data/marked", value: "yes" }]));
hooks.on("/enter", () => ({ allowed: false, status: { message: "nobody enters" } }));
process.stdout.write(`${hooks.caBundle}\n`);
