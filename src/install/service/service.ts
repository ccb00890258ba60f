// The install service: its REST API, its database, and its Kubernetes form.

export type { Finding } from "./database/finding.ts";
export { migrate, migrationNames } from "./database/migrate.ts";
export { openDatabase } from "./database/open.ts";
export { useDatabase } from "./database/use.system.ts";
export { installController } from "./kubernetes/controller.ts";
export { ensureDefinitions } from "./kubernetes/definitions.ts";
export { openInstallService } from "./program.ts";
