/** The programs of a control plane and the arguments that each is started with. */

import { join } from "node:path";

import { programPath } from "./build.ts";
import { pkiPath } from "./certificates.ts";
import { etcdProgram, kubernetesProgram } from "./go-module.ts";
import type { Program } from "./go-module.ts";
import { API_PORT, ETCD_URL, POD_RANGE, SERVICE_RANGE, apiServerAddress } from "./network.ts";
import type { Release } from "./releases.ts";
import type { Service } from "./sandbox.ts";

/** All that a control plane needs, and kubectl. */
export function controlPlanePrograms(release: Release): Program[] {
  const names = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"];
  return [etcdProgram(release.etcd), ...names.map((name) => kubernetesProgram(name, release.kubernetes))];
}

/** The kubeconfig of a component inside the cluster. */
export function insideKubeconfig(folder: string, user: string): string {
  return join(folder, "kubeconfigs", user);
}

/** The component name of an API server; the first is 0. */
export function apiServerName(index: number): string {
  return index === 0 ? "kube-apiserver" : `kube-apiserver-${index + 1}`;
}

/** etcd, without waiting for the disk: nothing here must survive a crash of the machine. */
export function etcdService(folder: string, release: Release): Service {
  return {
    component: "etcd",
    program: programPath(etcdProgram(release.etcd)),
    args: flags({
      "data-dir": join(folder, "etcd"),
      "unsafe-no-fsync": "true",
      "listen-client-urls": ETCD_URL,
      "advertise-client-urls": ETCD_URL,
      "listen-peer-urls": "http://127.0.0.1:2380",
      "log-level": "warn",
    }),
  };
}

/** One kube-apiserver; further flags come last and so win. */
export function apiServerService(
  folder: string,
  release: Release,
  server: { index: number; flags: readonly string[] },
): Service {
  const pki = (file: string): string => pkiPath(folder, file);
  const address = apiServerAddress(server.index);
  const args = flags({
    "etcd-servers": ETCD_URL,
    "bind-address": address,
    "advertise-address": address,
    "secure-port": String(API_PORT),
    "service-cluster-ip-range": SERVICE_RANGE,
    "allow-privileged": "true",
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "client-ca-file": pki("ca.crt"),
    "tls-cert-file": pki("apiserver.crt"),
    "tls-private-key-file": pki("apiserver.key"),
    "kubelet-preferred-address-types": "InternalIP",
    "kubelet-certificate-authority": pki("ca.crt"),
    "kubelet-client-certificate": pki("kubelet-client.crt"),
    "kubelet-client-key": pki("kubelet-client.key"),
    "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
    "service-account-key-file": pki("service-accounts.pub"),
    "service-account-signing-key-file": pki("service-accounts.key"),
    "requestheader-client-ca-file": pki("front-proxy-ca.crt"),
    "requestheader-allowed-names": "front-proxy-client",
    "requestheader-username-headers": "X-Remote-User",
    "requestheader-group-headers": "X-Remote-Group",
    "requestheader-extra-headers-prefix": "X-Remote-Extra-",
    "proxy-client-cert-file": pki("front-proxy.crt"),
    "proxy-client-key-file": pki("front-proxy.key"),
  });
  return {
    component: apiServerName(server.index),
    program: programPath(kubernetesProgram("kube-apiserver", release.kubernetes)),
    args: [...args, ...server.flags],
  };
}

/** kube-controller-manager, which signs with the cluster's own authority. */
export function controllerManagerService(folder: string, release: Release): Service {
  return {
    component: "kube-controller-manager",
    program: programPath(kubernetesProgram("kube-controller-manager", release.kubernetes)),
    args: flags({
      kubeconfig: insideKubeconfig(folder, "controller-manager"),
      "use-service-account-credentials": "true",
      "service-account-private-key-file": pkiPath(folder, "service-accounts.key"),
      "root-ca-file": pkiPath(folder, "ca.crt"),
      "cluster-signing-cert-file": pkiPath(folder, "ca.crt"),
      "cluster-signing-key-file": pkiPath(folder, "ca.key"),
      "allocate-node-cidrs": "true",
      "cluster-cidr": POD_RANGE,
      "leader-elect": "false",
      "flex-volume-plugin-dir": join(folder, "flexvolume"),
    }),
  };
}

/** kube-scheduler. */
export function schedulerService(folder: string, release: Release): Service {
  return {
    component: "kube-scheduler",
    program: programPath(kubernetesProgram("kube-scheduler", release.kubernetes)),
    args: flags({ kubeconfig: insideKubeconfig(folder, "scheduler"), "leader-elect": "false" }),
  };
}

/** --name=value for each entry. */
export function flags(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
