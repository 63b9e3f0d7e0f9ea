export * from "@capstan/kinds/flowcontrol.apiserver.k8s.io/v1";
