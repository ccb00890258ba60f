// Paths of the kubelet API: `/containerLogs/NAMESPACE/POD/CONTAINER` and the like.

export interface ContainerTarget {
  readonly kind: "containerLogs" | "exec" | "attach";
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly query: URLSearchParams;
}

export interface PodTarget {
  readonly kind: "portForward" | "dial";
  readonly namespace: string;
  readonly pod: string;
  readonly query: URLSearchParams;
}

export interface OtherTarget {
  readonly kind: "other";
  readonly path: string;
}

export type Target = ContainerTarget | PodTarget | OtherTarget;

export function targetOf(url: string): Target {
  const { pathname: path, searchParams: query } = new URL(url, "https://node");
  const [kind, namespace, pod, container, ...more] = path
    .slice(1)
    .split("/")
    .map((part) => decodeURIComponent(part));
  if (namespace !== undefined && pod !== undefined && more.length === 0) {
    const isAboutPod = kind === "portForward" || kind === "dial";
    if (isAboutPod && container === undefined) return { kind, namespace, pod, query };
    const isAboutContainer = kind === "containerLogs" || kind === "exec" || kind === "attach";
    if (isAboutContainer && container !== undefined) {
      return { kind, namespace, pod, container, query };
    }
  }
  return { kind: "other", path };
}
