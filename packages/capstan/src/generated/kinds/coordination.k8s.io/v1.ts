export * from "@capstan/kinds/coordination.k8s.io/v1";
