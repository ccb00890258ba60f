// Joining a cluster: proving a token, checking the root, and keeping the node certificate.

export { fetchAuthority, publicKeyHash } from "./authority.ts";
export { enrol, type Invitation } from "./enrol.ts";
export { type Identity, openIdentityStore } from "./identity.ts";
export { keepIdentity } from "./keep-identity.ts";
