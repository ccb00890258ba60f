// What is written: objects of the sizes that real clusters have.

export function configMap(n: number, tag: string): string {
  const filler = "x".repeat(800);
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${tag}-${n}` },
    data: { filler },
  });
}

export function service(n: number, tag: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `${tag}-${n}` },
    spec: { selector: { app: `${tag}-${n}` }, ports: [{ port: 80 }] },
  });
}

/** About what a Deployment makes of a small template. */
export function pod(n: number, tag: string): string {
  const mount = { name: "settings", mountPath: "/etc/settings", readOnly: true };
  const probe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 10 };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${tag}-${n}`,
      labels: { app: tag, "pod-template-hash": "5d69dbf9b9", tier: "backend", release: "stable" },
      annotations: { "example.test/checksum": "0123456789abcdef".repeat(4) },
    },
    spec: {
      containers: [
        {
          name: "main",
          image: "registry.example.test/team/service:1.2.3",
          args: ["--listen=:8080", "--config=/etc/settings/config.yaml"],
          ports: [{ name: "http", containerPort: 8080 }],
          env: Array.from({ length: 10 }, (_, i) => ({
            name: `SETTING_${i}`,
            value: `value-${i}`,
          })),
          resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
          volumeMounts: [mount],
          readinessProbe: probe,
          livenessProbe: probe,
        },
      ],
      volumes: [{ name: "settings", configMap: { name: "settings" } }],
      nodeSelector: { "kubernetes.io/os": "linux" },
    },
  });
}
