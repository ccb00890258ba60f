/** The version of this program. A constant, since bundles carry it; a test compares it to package.json. */
export const version = "0.1.0";

/** The Kubernetes version whose behaviour clients may rely on. */
export const kubernetesRelease = { major: "1", minor: "36", patch: "0" } as const;

/** The version in the form that Kubernetes clients parse: the release, then ours as build metadata. */
export const kubernetesVersion = `v${Object.values(kubernetesRelease).join(".")}+tandem-${version}`;
