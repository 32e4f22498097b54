# The demo in a container:
#     docker build -t isthmus . && docker run --rm isthmus
# It emulates a machine with Soft-RoCE devices; --device /dev/kvm makes that fast. With an RDMA device of the host's:
#     docker run --rm --network host --device /dev/infiniband --ulimit memlock=-1 isthmus
# Other commands of the launcher follow the image's name: docker run --rm isthmus doctor
FROM debian:13-slim
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /isthmus
COPY testbed/packages testbed/
RUN apt-get update \
    && groups="$(sed -nE "s/^(testbed|vm|verbs) (all|$(dpkg --print-architecture)) //p" testbed/packages)" \
    && apt-get install --yes --no-install-recommends ca-certificates maven openjdk-25-jdk-headless $groups \
    && rm -rf /var/lib/apt/lists/*
COPY . .
RUN ./isthmus build
ENTRYPOINT ["./isthmus"]
CMD ["demo"]
