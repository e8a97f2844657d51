//! Clouds, infrastructure as code, and forges: what is destroyed there is not ours alone.

use super::Does::{self, Connect, Opaque};
use super::Harm;
use super::table::{
    CODE_FILE, DASH, ENTER, EXACT, NOTHING, OBEY, Program, READ, Rest, Use, WRITE, always, each,
    rest, shaped, skip, sub, val, when,
};

const REMOTE: Does = Does::HardToTakeBack(Harm::Remote);
const GONE: Does = Does::Catastrophe(Harm::Remote);
const DESTROYS: &[Does] = &[Connect, REMOTE];
const DESTROYS_UNASKED: &[Does] = &[Connect, GONE];
const CONNECTS: &[Does] = &[Connect];
const LOOKS: &[Does] = &[];
const PUBLISH: &[Does] = &[Connect, Does::HardToTakeBack(Harm::Publish)];
/// Options by which no question is asked.
const UNASKED: &str =
    "-y --yes -f --force --quiet -q --confirm --auto-approve -auto-approve -force";

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "terraform tofu terragrunt",
        options: &[
            val("-chdir", ENTER),
            val("-var-file -state -backup -backend-config", READ),
            val("-out -state-out", WRITE),
            skip("-var -target -lock-timeout -parallelism -replace"),
        ],
        subs: &[
            Program {
                names: "destroy",
                shape: always(DESTROYS),
                when: &[when("-auto-approve -force", always(DESTROYS_UNASKED))],
                ..DASH
            },
            Program {
                names: "apply",
                shape: always(&[Connect, Opaque]),
                when: &[
                    super::table::both("-destroy", "-auto-approve", always(DESTROYS_UNASKED)),
                    when("-destroy", always(DESTROYS)),
                    when("-auto-approve", always(DESTROYS)),
                ],
                ..DASH
            },
            Program {
                names: "state workspace",
                subs: &[sub("list show", LOOKS), sub("rm delete mv push", DESTROYS)],
                ..DASH
            },
            Program {
                names: "run-all run",
                subs: &[
                    sub("destroy", DESTROYS_UNASKED),
                    sub("apply", DESTROYS),
                    sub("plan refresh init validate output show", &[Connect, Opaque]),
                ],
                other: &[Connect, Opaque],
                ..DASH
            },
            sub("force-unlock taint untaint import", DESTROYS),
            sub("plan refresh", &[Connect, Opaque]),
            Program {
                names: "fmt",
                shape: each(super::table::EDIT).alone(&[Does::Edit]),
                when: &[when("-check", each(READ))],
                ..DASH
            },
            sub("init get providers", &[Connect, Opaque, Does::Create]),
            sub("validate output show version graph console metadata", &[Opaque]),
        ],
        other: &[Opaque],
        tells: "-version --version -help --help",
        examples: &[
            "terraform apply -destroy -auto-approve => connect, catastrophe Remote",
            "tofu destroy -auto-approve => connect, catastrophe Remote",
            "terraform destroy => connect, hard Remote",
            "terragrunt run-all destroy => connect, catastrophe Remote",
            "terraform plan -destroy => connect, opaque",
            "terraform fmt -recursive => edit",
            "terraform apply -auto-approve => connect, hard Remote",
        ],
        ..DASH
    },
    Program {
        names: "pulumi cdk cdktf sst serverless sls amplify eb copilot sam",
        options: &[
            val("-C --cwd", ENTER),
            val("--config-file", OBEY),
            skip("-s --stack --stage --region --profile"),
        ],
        subs: &[
            Program {
                names: "destroy down remove rm delete",
                shape: always(DESTROYS),
                when: &[when("-y --yes --force -f --skip-preview", always(DESTROYS_UNASKED))],
                ..EXACT
            },
            Program {
                names: "up update deploy",
                shape: always(&[Connect, Opaque]),
                when: &[when(
                    UNASKED,
                    always(&[Connect, Opaque, Does::HardToTakeBack(Harm::Publish)]),
                )],
                ..EXACT
            },
            Program {
                names: "stack",
                subs: &[
                    Program {
                        names: "rm",
                        shape: always(DESTROYS),
                        when: &[when("-y --yes -f --force", always(DESTROYS_UNASKED))],
                        ..EXACT
                    },
                    sub("ls list output history select graph tag init", &[Connect, Opaque]),
                ],
                other: &[Connect, Opaque],
                ..EXACT
            },
            sub("preview config diff synth ls list logs info", &[Connect, Opaque]),
        ],
        other: &[Connect, Opaque],
        examples: &[
            "pulumi destroy -y => connect, catastrophe Remote",
            "pulumi stack rm --yes dev => connect, catastrophe Remote",
            "pulumi stack ls => connect, opaque",
            "cdk diff => connect, opaque",
        ],
        ..EXACT
    },
    Program {
        names: "aws",
        options: &[
            val("--endpoint-url", Use::Url),
            val(
                "--cli-input-json --cli-input-yaml --filter --filters --policy-document \
                 --template-body",
                Use::Behind("file://", Does::Read),
            ),
            val(
                "--payload --document --zip-file --body --user-data",
                Use::Behind("file://", Does::Read),
            ),
            skip("--region --profile --output --query --instance-ids --db-instance-identifier"),
        ],
        subs: &[
            Program {
                names: "s3",
                subs: &[
                    sub("ls presign", CONNECTS),
                    Program {
                        names: "cp",
                        shape: super::table::to(Use::Place(Does::Read), &[Use::Place(Does::PutAt)]),
                        ..EXACT
                    },
                    Program {
                        names: "sync mv",
                        shape: super::table::to(
                            Use::Place(Does::ReadTree),
                            &[Use::Place(Does::PutAt)],
                        ),
                        when: &[when("--delete", always(DESTROYS))],
                        dry: "--dryrun",
                        ..EXACT
                    },
                    Program {
                        names: "rm",
                        shape: always(DESTROYS),
                        when: &[when("--recursive", always(DESTROYS_UNASKED))],
                        dry: "--dryrun",
                        ..EXACT
                    },
                    Program {
                        names: "rb",
                        shape: always(DESTROYS),
                        when: &[when("--force", always(DESTROYS_UNASKED))],
                        ..EXACT
                    },
                ],
                other: CONNECTS,
                ..EXACT
            },
            shaped("configure", always(&[Does::ChangeGlobalSettings])),
        ],
        examples: &[
            "aws s3 ls s3://b => connect",
            "aws s3 rm s3://b --recursive => connect, catastrophe Remote",
            "aws s3 cp a s3://b/a => read a, connect b",
            "aws ec2 describe-instances --filter file:///etc/x => connect, read /etc/x",
            "aws ec2 terminate-instances --instance-ids i => connect, hard Remote \
             terminate-instances",
            "aws rds delete-db-instance --skip-final-snapshot => connect, catastrophe Remote \
             delete-db-instance",
        ],
        ..CLOUD
    },
    Program {
        names: "gcloud az doctl linode-cli hcloud oci ibmcloud aliyun scw exo civo vultr-cli \
            gsutil bq heroku fly flyctl vercel netlify railway render wrangler firebase eksctl \
            kops azd pscale neonctl turso cf atlas confluent datadog-ci newrelic sentry-cli \
            surge now dokku s3cmd mc",
        options: &[
            super::table::act("--prod", Does::HardToTakeBack(Harm::Publish)),
            skip(
                "-n --name -g --resource-group --project --zone --region --account -a --app --team",
            ),
        ],
        tells: "--help --version -v",
        examples: &[
            "gcloud projects delete prod --quiet => connect, catastrophe Remote delete",
            "az group delete -n prod --yes => connect, catastrophe Remote delete",
            "fly apps destroy prod -y => connect, catastrophe Remote destroy",
            "wrangler d1 delete prod -y => connect, catastrophe Remote delete",
            "az vm list => connect",
            "heroku apps:destroy x => connect, hard Remote apps:destroy",
            "vercel --prod => connect, hard Publish",
        ],
        ..CLOUD
    },
    Program {
        names: "gh glab hub tea",
        options: &[skip("-R --repo --hostname -q --jq -t --template --json -L --limit")],
        subs: &[
            Program {
                names: "api",
                options: &[
                    val("-X --method", Use::ForgeMethod),
                    val("--input", READ),
                    skip("-f -F -H --field --raw-field --header"),
                ],
                shape: always(CONNECTS),
                ..EXACT
            },
            Program {
                names: "repo project",
                subs: &[
                    Program {
                        names: "delete",
                        shape: always(DESTROYS),
                        when: &[when("-y --yes --confirm", always(DESTROYS_UNASKED))],
                        ..EXACT
                    },
                    Program {
                        names: "clone",
                        shape: super::table::then(&[NOTHING], super::table::CREATE)
                            .always(&[Connect, Does::Create]),
                        ..EXACT
                    },
                    sub("archive rename edit", DESTROYS),
                    sub("create", PUBLISH),
                ],
                other: CONNECTS,
                ..EXACT
            },
            Program {
                names: "release",
                subs: &[
                    sub("delete delete-asset", DESTROYS),
                    sub("create upload edit", PUBLISH),
                    Program {
                        names: "download",
                        options: &[val("-D --dir -O --output", WRITE)],
                        shape: always(&[Connect, Does::Create]),
                        ..EXACT
                    },
                ],
                other: CONNECTS,
                ..EXACT
            },
            Program {
                names: "pr mr",
                subs: &[
                    Program {
                        names: "close merge",
                        shape: always(CONNECTS),
                        when: &[
                            when("-d --delete-branch", always(DESTROYS)),
                            when("--admin", always(DESTROYS)),
                        ],
                        ..EXACT
                    },
                    Program {
                        names: "checkout",
                        shape: always(&[Connect, Does::ChangeWorkTree, Does::ChangeRepository]),
                        ..EXACT
                    },
                    Program {
                        names: "create comment edit review",
                        options: &[val("-F --body-file", READ)],
                        shape: always(CONNECTS),
                        ..EXACT
                    },
                ],
                other: CONNECTS,
                ..EXACT
            },
            Program {
                names: "issue secret variable run workflow cache codespace gist label ssh-key \
                 gpg-key",
                options: &[val("-F --body-file --env-file", READ)],
                subs: &[sub("delete remove", DESTROYS)],
                shape: always(CONNECTS),
                ..EXACT
            },
            Program {
                names: "alias extension",
                subs: &[sub("list", LOOKS)],
                other: &[Opaque, Connect],
                ..EXACT
            },
            Program {
                names: "auth",
                subs: &[sub("status", CONNECTS), sub("token", &[Does::ShowEnvironment])],
                other: &[Connect, Does::HardToTakeBack(Harm::User)],
                ..EXACT
            },
            Program {
                names: "config",
                subs: &[sub("get list", LOOKS)],
                other: &[Does::ChangeGlobalSettings],
                ..EXACT
            },
        ],
        other: CONNECTS,
        tells: "--help --version",
        examples: &[
            "gh pr view 12 => connect",
            "gh pr close 12 --delete-branch => connect, hard Remote",
            "gh release delete v1 -y => connect, hard Remote",
            "gh api -X DELETE repos/o/r => connect, catastrophe Remote DELETE",
            "gh api repos/o/r => connect",
            "gh repo delete o/r --yes => connect, catastrophe Remote",
        ],
        ..EXACT
    },
    Program {
        names: "ansible ansible-playbook ansible-pull salt salt-call puppet chef-client chef knife",
        options: &[
            val("-i --inventory --vault-password-file --private-key", READ),
            val("-a --args", Use::Is(Does::RunTextElsewhere)),
            val("-e --extra-vars", Use::AtFile),
            skip("-m -u -l -t -f --module-name --user --limit --tags --forks"),
        ],
        shape: each(CODE_FILE).always(&[Connect, Opaque]),
        when: &[
            when("-m --module-name -a", always(&[Connect, Opaque])),
            when("--syntax-check --list-hosts --list-tasks --list-tags", each(READ)),
        ],
        tells: "--help --version",
        examples: &[
            "ansible-playbook p.yml => connect, opaque, code-file p.yml",
            "ansible all -a 'rm x' => connect, opaque, text-elsewhere 'rm x'",
        ],
        ..EXACT
    },
    Program {
        names: "vault consul nomad etcdctl",
        options: &[val("-address", Use::Url)],
        subs: &[
            sub("delete destroy purge del", DESTROYS),
            Program {
                names: "kv secrets job operator",
                subs: &[sub("delete destroy disable stop seal", DESTROYS)],
                other: CONNECTS,
                ..DASH
            },
        ],
        other: CONNECTS,
        examples: &["vault kv delete a => connect, hard Remote"],
        ..DASH
    },
    Program {
        names: "velero",
        subs: &[
            Program {
                names: "backup schedule restore backup-location snapshot-location",
                subs: &[
                    sub("delete", &[Connect, Does::Catastrophe(Harm::Backup)]),
                    sub("get describe logs download", CONNECTS),
                ],
                other: CONNECTS,
                ..EXACT
            },
            sub("delete uninstall", &[Connect, Does::Catastrophe(Harm::Backup)]),
        ],
        other: CONNECTS,
        examples: &[
            "velero backup delete b --confirm => connect, catastrophe Backup",
            "velero backup get => connect",
        ],
        ..EXACT
    },
    Program {
        names: "restic borg duplicity rsnapshot tmutil kopia",
        options: &[
            val("-r --repo --password-file", NOTHING),
            skip("--keep-last --keep-daily --keep-weekly --tag --host -d -t"),
        ],
        subs: &[
            sub("forget prune delete purge break-lock", &[Does::Catastrophe(Harm::Backup)]),
            sub(
                "snapshots list ls stats check info diff find status listbackups latestbackup",
                LOOKS,
            ),
            Program { names: "backup create init", shape: each(super::table::READ_TREE), ..EXACT },
            Program {
                names: "restore extract",
                options: &[val("-t --target", super::table::PUT)],
                shape: always(&[Does::Edit]),
                ..EXACT
            },
        ],
        other: &[Opaque],
        examples: &[
            "restic forget --prune --keep-last 0 => catastrophe Backup",
            "borg delete repo => catastrophe Backup",
            "borg list r => ",
        ],
        ..EXACT
    },
    Program {
        names: "llm ollama claude codex gemini aider openai goose opencode cursor-agent",
        shape: rest(&[], Rest::Words).always(&[Connect, Opaque]),
        examples: &["ollama run x => connect, opaque"],
        ..EXACT
    },
];

/// The base of a cloud: words that destroy are told by what they say.
const CLOUD: Program = Program { shape: each(Use::CloudVerb).always(CONNECTS), ..EXACT };
