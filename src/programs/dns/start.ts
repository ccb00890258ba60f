// Restarts the DNS server once its sources are compiled. Node's TypeScript compiler takes 17 MB and never
// frees them; its output is cached on disk, so the restarted process runs without it.

import { dirname } from "node:path";

const marker = "TANDEM_STARTED_AGAIN";

/**
 * Restarts this process if it had to compile; it then does not return. Call it once all modules are loaded.
 */
export function beginAnewIfCompiling(): void {
  const { flushCompileCache, getCompileCacheDir } = process.getBuiltinModule("node:module");
  const directory = getCompileCacheDir();
  // Without a compile cache every restart would compile again, so that the process would restart for ever.
  if (directory === undefined || process.env[marker] !== undefined || !isCompiling()) return;
  flushCompileCache();
  const { execArgv, execPath, argv, env } = process;
  const kept = { NODE_COMPILE_CACHE: dirname(directory), [marker]: "1" };
  process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, ...kept });
}

function isCompiling(): boolean {
  const { moduleLoadList } = process as { moduleLoadList?: readonly string[] };
  return moduleLoadList?.some((name) => name.includes("/amaro/")) ?? false;
}
