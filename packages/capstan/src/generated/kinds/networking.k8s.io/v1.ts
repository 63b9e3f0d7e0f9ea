export * from "@capstan/kinds/networking.k8s.io/v1";
