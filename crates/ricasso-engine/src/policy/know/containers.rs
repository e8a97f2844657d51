//! Containers and clusters: commands that run elsewhere, mounts of our files, volumes.

use super::Does::{self, Connect, Opaque};
use super::Harm;
use super::table::{
    CREATE, ENTER, EXACT, EXACT_STOP, NONE, NOTHING, OBEY, Opt, Program, READ, Rest, Shape, Use,
    WRITE, act, always, each, flag, rest, shaped, skip, sub, to, val, when,
};

const VOLUME: Does = Does::HardToTakeBack(Harm::Volume);
const REMOTE: Does = Does::HardToTakeBack(Harm::Remote);
const PUBLISH: &[Does] = &[Connect, Does::HardToTakeBack(Harm::Publish)];
const LOOKS: &[Does] = &[];

/// Options of `docker run` and its kin.
const RUN: &[Opt] = &[
    val("-v --volume", Use::Volume),
    val("--mount", Use::Mount),
    val("--env-file --label-file", READ),
    val("--cidfile", WRITE),
    val("--device", Use::Is(Does::Edit)),
    act("--privileged", Does::Elevate),
    val(
        "-e --env -w --workdir -u --user -p --publish -h --hostname --name -l --label -m --memory",
        NOTHING,
    ),
    skip(
        "--network --net --entrypoint --platform --cpus --gpus --ulimit --add-host --dns --restart",
    ),
    skip(
        "--shm-size --tmpfs --pid --ipc --cap-add --cap-drop --security-opt --expose --link --pull",
    ),
    skip(
        "--userns --log-driver --log-opt --runtime --health-cmd --volumes-from --cgroupns --ip -a",
    ),
    flag("-f --force"),
    flag("-i --interactive"),
];

const IMAGE_THEN_COMMAND: Shape = rest(&[NOTHING], Rest::Elsewhere).always(&[Opaque]);

const DOCKER: &[Program] = &[
    Program { names: "run create", options: RUN, shape: IMAGE_THEN_COMMAND, ..EXACT_STOP },
    Program {
        names: "exec",
        options: &[skip("-e -u -w --env --user --workdir --detach-keys"), val("--env-file", READ)],
        shape: rest(&[NOTHING], Rest::Elsewhere),
        ..EXACT_STOP
    },
    Program {
        names: "cp",
        shape: to(Use::Place(Does::ReadTree), &[Use::Place(Does::PutAt)]),
        ..EXACT
    },
    Program {
        names: "build buildx builder",
        options: &[
            val("-f --file", READ),
            val("-o --output --iidfile --metadata-file", Use::After(b'=', Does::Overwrite)),
            skip(
                "-t --tag --build-arg --target --platform --label --network --cache-from \
                 --cache-to",
            ),
            val("--secret --ssh", NOTHING),
        ],
        shape: each(Use::Place(Does::ReadTree)).always(&[Opaque]),
        subs: &[sub("ls inspect du version prune", LOOKS), sub("rm", &[VOLUME])],
        ..EXACT
    },
    Program { names: "compose", options: COMPOSE, subs: COMPOSE_SUBS, other: &[Opaque], ..EXACT },
    sub(
        "ps images logs inspect version info top stats port diff history events search wait \
         context",
        LOOKS,
    ),
    sub("pull login logout import load", &[Connect]),
    sub("push", PUBLISH),
    Program { names: "save export", options: &[val("-o --output", WRITE)], ..EXACT },
    Program {
        names: "rm rmi",
        shape: NONE,
        when: &[when("-f --force -v --volumes", always(&[VOLUME]))],
        ..EXACT
    },
    sub("start stop restart kill pause unpause rename update tag attach commit", LOOKS),
    Program {
        names: "volume",
        subs: &[sub("ls inspect create", LOOKS), sub("rm prune remove", &[VOLUME])],
        ..EXACT
    },
    // Images are built or fetched again; what runs in a network keeps it.
    Program {
        names: "image network",
        subs: &[
            sub(
                "ls inspect history create connect disconnect pull tag prune rm remove save load",
                LOOKS,
            ),
            sub("push", PUBLISH),
        ],
        ..EXACT
    },
    Program {
        names: "system container",
        subs: &[
            sub(
                "df info ls inspect events history create connect disconnect pull tag stats top \
                 logs start stop",
                LOOKS,
            ),
            sub("prune rm remove", &[VOLUME]),
            Program { names: "run create", options: RUN, shape: IMAGE_THEN_COMMAND, ..EXACT_STOP },
            Program {
                names: "exec",
                options: &[skip("-e -u -w")],
                shape: rest(&[NOTHING], Rest::Elsewhere),
                ..EXACT_STOP
            },
        ],
        ..EXACT
    },
    Program {
        names: "swarm stack service node secret config",
        subs: &[sub("ls ps inspect logs", LOOKS)],
        other: &[REMOTE],
        ..EXACT
    },
];

const COMPOSE: &[Opt] = &[
    val("-f --file --env-file", READ),
    val("--project-directory", ENTER),
    skip("-p --project-name --profile"),
];

const COMPOSE_SUBS: &[Program] = &[
    Program {
        names: "down rm",
        shape: NONE,
        when: &[when("-v --volumes", always(&[VOLUME]))],
        ..EXACT
    },
    Program {
        names: "exec run",
        options: &[
            skip("-e -u -w --env --user --workdir --name --index --entrypoint"),
            val("-v --volume", Use::Volume),
        ],
        shape: rest(&[NOTHING], Rest::Elsewhere),
        ..EXACT_STOP
    },
    sub("ps logs config images ls top port version events", LOOKS),
    sub("pull", &[Connect]),
    sub("push", PUBLISH),
];

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "docker podman nerdctl buildah",
        options: &[
            val("--config", OBEY),
            val("-H --host --context --url -c --connection", Use::Is(Connect)),
            skip("-l --log-level"),
        ],
        subs: DOCKER,
        other: &[Opaque],
        tells: "--help --version -v",
        examples: &[
            "docker run --rm -v /:/h alpine rm -rf /h/etc => opaque, edit /, run-elsewhere [rm \
             -rf /h/etc]",
            "docker run --rm -it -v ./a:/app:ro node npm test => opaque, read-tree ./a, \
             run-elsewhere [npm test]",
            "docker exec db psql -c x => run-elsewhere [psql -c x]",
            "docker rm -f a => hard Volume",
            "docker volume prune -f => hard Volume",
            "docker compose down -v => hard Volume",
            "docker compose down => ",
            "docker cp a c:/x => read-tree a, connect c",
            "docker ps --format x => ",
            "docker -H tcp://h ps => connect tcp://h",
            "docker build -t format . => opaque, read-tree .",
        ],
        ..EXACT
    },
    Program {
        names: "docker-compose podman-compose",
        options: COMPOSE,
        subs: COMPOSE_SUBS,
        other: &[Opaque],
        examples: &[
            "docker-compose -f a down -v => hard Volume, read a",
            "docker-compose up -d => opaque",
        ],
        ..EXACT
    },
    Program {
        names: "kubectl oc k3s microk8s",
        options: &[
            val("--kubeconfig", OBEY),
            val("--server -s", Use::Url),
            val("-f --filename -k --kustomize", Use::Place(Does::Read)),
            skip(
                "-n --namespace --context --cluster --user -o --output -l --selector -c \
                 --container",
            ),
            skip(
                "--field-selector --as --token --timeout --grace-period --replicas --type --image",
            ),
        ],
        subs: &[
            Program {
                names: "exec",
                options: KUBE,
                shape: rest(&[NOTHING], Rest::Elsewhere).always(&[Connect]),
                ..EXACT
            },
            Program {
                names: "debug run attach",
                options: KUBE,
                shape: rest(&[NOTHING], Rest::Elsewhere).always(&[Connect, Opaque]),
                ..EXACT
            },
            Program {
                names: "cp",
                options: KUBE,
                shape: to(Use::Place(Does::ReadTree), &[Use::Place(Does::PutAt)])
                    .always(&[Connect]),
                ..EXACT
            },
            Program {
                names: "delete",
                options: KUBE,
                shape: each(Use::KubernetesKind).always(&[Connect, REMOTE]),
                dry: "--dry-run",
                ..EXACT
            },
            Program {
                names: "rollout",
                options: KUBE,
                subs: &[sub("status history", &[Connect])],
                other: &[Connect, REMOTE],
                ..EXACT
            },
            sub("drain cordon taint replace scale", &[Connect, REMOTE]),
            sub("apply create edit patch set label annotate expose autoscale", &[Connect]),
            sub(
                "get describe logs top explain api-resources api-versions cluster-info auth diff \
                 wait events",
                &[Connect],
            ),
            sub("version help completion options plugin kustomize", LOOKS),
            Program {
                names: "config",
                subs: &[sub("view get-contexts current-context get-clusters", LOOKS)],
                other: &[Does::ChangeGlobalSettings],
                ..EXACT
            },
            sub("proxy port-forward", &[Connect, Does::Listen]),
        ],
        other: &[Connect, Opaque],
        examples: &[
            "kubectl get pods -A => connect",
            "kubectl delete namespace prod => connect, hard Remote, catastrophe Remote namespace",
            "kubectl --context prod delete pods --all -n prod => connect, hard Remote",
            "kubectl exec pod -- sh -c x => connect, run-elsewhere [sh -c x]",
            "kubectl exec -it pod -c app -- rm y => connect, run-elsewhere [rm y]",
            "kubectl drain n --force => connect, hard Remote",
            "kubectl --kubeconfig /x get pods => connect, obey /x",
        ],
        ..EXACT
    },
    Program {
        names: "helm",
        options: &[
            val("--kubeconfig", OBEY),
            val("-f --values", Use::Place(Does::Read)),
            val("--post-renderer", super::table::RUN),
            val("-d --destination --output-dir", CREATE),
            skip("-n --namespace --kube-context --version --set --set-string --timeout --repo"),
        ],
        subs: &[
            sub("uninstall delete del un rollback", &[Connect, REMOTE]),
            sub("list ls status get history search show env version lint template", LOOKS),
            Program {
                names: "repo dependency dep",
                subs: &[sub("list ls remove rm", LOOKS)],
                other: &[Connect],
                ..EXACT
            },
            Program { names: "push", shape: always(PUBLISH), ..EXACT },
        ],
        other: &[Connect],
        dry: "--dry-run",
        examples: &[
            "helm uninstall prod => connect, hard Remote",
            "helm list -A => ",
            "helm upgrade a b => connect",
        ],
        ..EXACT
    },
    Program {
        names: "kustomize skopeo crane dive trivy grype syft kubectx kubens k9s stern minikube \
         kind k3d",
        options: &[val("-o --output", WRITE)],
        subs: &[
            sub("delete rm prune", &[Does::HardToTakeBack(Harm::Volume)]),
            sub("copy push sync", &[Connect, Does::HardToTakeBack(Harm::Publish)]),
        ],
        shape: always(&[Connect]),
        examples: &["kind delete cluster => hard Volume", "trivy image x => connect"],
        ..EXACT
    },
    Program {
        names: "vagrant multipass lima limactl virsh lxc incus machinectl",
        options: &[val("-c --command", Use::Is(Does::RunTextElsewhere))],
        subs: &[
            Program {
                names: "ssh",
                options: &[val("-c --command", Use::Is(Does::RunTextElsewhere))],
                ..EXACT
            },
            Program { names: "exec shell", shape: rest(&[NOTHING], Rest::Elsewhere), ..EXACT_STOP },
            sub("destroy delete undefine purge remove rm", &[Does::HardToTakeBack(Harm::Volume)]),
            sub("status list ls info version global-status box snapshot", LOOKS),
        ],
        other: &[Opaque],
        examples: &[
            "vagrant destroy -f => hard Volume",
            "vagrant status => ",
            "lxc exec c rm x => run-elsewhere [rm x]",
        ],
        ..EXACT
    },
    shaped("crictl ctr runc crun", NONE.always(&[Opaque, Does::Elevate]))
        .with(&["runc list => opaque, elevate"]),
];

const KUBE: &[Opt] = &[
    skip("-n --namespace -c --container --context --image -l --selector --type --grace-period -o"),
    val("-f --filename", Use::Place(Does::Read)),
];
