// The answer to `/version`: the Kubernetes version whose behaviour clients may rely on.
import { kubernetesRelease, kubernetesVersion } from "../../base/program/version.ts";

export const versionInfo = {
  major: kubernetesRelease.major,
  minor: kubernetesRelease.minor,
  gitVersion: kubernetesVersion,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "",
  goVersion: "",
  compiler: "node",
  platform: `linux/${process.arch === "x64" ? "amd64" : process.arch}`,
};
