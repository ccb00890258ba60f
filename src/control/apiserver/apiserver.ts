// The API server: its HTTP server, its certificates and tokens, and its repair loops.

export { aborted } from "./aborted.ts";
export { runRepair } from "./allocation/run-repair.ts";
export { type Policy, parsePolicy, usualPolicy } from "./audit/policy.ts";
export { RotatingFile } from "./audit/rotating-file.system.ts";
export type { AuditSink } from "./audit/trail.ts";
export { AuditWebhook } from "./audit/webhook.ts";
export { parseKey } from "./keys.ts";
export { drain } from "./limits/drain.ts";
export { changeCertificate, listen, type Tls } from "./listen.ts";
export type { ObjectReader } from "./object-reader.ts";
export {
  type Authority,
  createAuthority,
  type KeyPair,
  openAuthority,
  type ServerNames,
} from "./security/authority.ts";
export type { TokenVerifier } from "./security/bearer-token.ts";
export { createBootstrapToken } from "./security/bootstrap-token.ts";
export { certificateSigner } from "./security/certificate-signer.ts";
export { clusterSecrets, hasClusterSecrets } from "./security/cluster-secrets.ts";
export { controllersRole, controllersUser } from "./security/controllers-role.ts";
export type { DefaultRole } from "./security/default-role.ts";
export { openFrontProxy } from "./security/front-proxy.ts";
export { ipamAccount } from "./security/ipam-account.ts";
export { kubeconfig } from "./security/kubeconfig.ts";
export {
  defaultLogIn,
  type LogInSettings,
  readAuthentication,
} from "./security/log-in/configuration.ts";
export { tokenWebhook } from "./security/log-in/token-webhook.ts";
export { forbiddenLabels } from "./security/node-labels.ts";
export { openGuard } from "./security/open-guard.ts";
export {
  defaultPodSecurity,
  type PodSecuritySettings,
  readPodSecurity,
} from "./security/pod-security/configuration.ts";
export { renewServerCertificate } from "./security/renewal.ts";
export { serverCertificate } from "./security/server-certificate.ts";
export { ApiVips } from "./self/api-vips.ts";
export type { Announcement } from "./self/registry.ts";
export { ApiServer } from "./server.ts";
export { nodeStreaming } from "./streaming/nodes.ts";
