//! The gate: shape, verdict, opening entry, plan. What comes through may be run.

use super::chores::Chore;
use super::close::{Opening, Refused, Said};
use super::ground::Places;
use super::inlet::Inlet;
use super::paper::{self, Papers};
use super::yard::Prepared;
use super::{Hall, open, scratch};
use crate::capture::Redactor;
use crate::error::Error;
use crate::plan::{self, Enforced, Lack, Plan};
use crate::policy::{self, Judgement, Mode, Reason, Verdict};
use crate::record::Receipt;
use crate::reply::Reply;
use crate::request::{Request, Stdin};
use crate::run::{Failure, JobDir, JobId};
use crate::scene::{Recorded, Scene};
use ricasso_os::{Input, Warden};
use std::sync::Arc;
use std::time::SystemTime;

/// What the gate says.
pub(super) enum Admission {
    /// Not this one; the reply says why, and the ledger has it.
    Refused(Box<Reply>),
    /// It may run.
    Granted(Box<Admitted>),
}

/// A request that is judged, planned and recorded, but not yet started.
pub(super) struct Admitted {
    id: JobId,
    request: Request,
    scene: Scene,
    plan: Plan,
    redactor: Redactor,
    dir: JobDir,
    input: Option<Arc<Input>>,
    inlet: Arc<Inlet>,
    warden: Arc<Warden>,
    /// Reasons of the verdict, and when the job was opened.
    pub(super) reasons: Vec<Reason>,
    pub(super) began: SystemTime,
    pub(super) opened: Receipt,
    /// The command that it outlived, where it did.
    pub(super) left_by: Option<JobId>,
}

impl Admitted {
    pub(super) fn id(&self) -> &JobId {
        &self.id
    }

    pub(super) fn request(&self) -> &Request {
        &self.request
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(super) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    pub(super) fn dir(&self) -> &JobDir {
        &self.dir
    }

    /// Its standard input, for whoever starts it; only once.
    pub(super) fn take_input(&mut self) -> Option<Arc<Input>> {
        self.input.take()
    }

    pub(super) fn inlet(&self) -> &Arc<Inlet> {
        &self.inlet
    }

    pub(super) fn warden(&self) -> &Arc<Warden> {
        &self.warden
    }

    /// What lies beside the spool, so that the judgement can be repeated.
    pub(super) fn papers(&self) -> Result<Papers, Error> {
        paper::papers(&self.request, &self.scene)
    }
}

impl Hall {
    /// Leads a request through the gate.
    pub(super) fn admit(&self, request: &Request) -> Result<Admission, Error> {
        let checked = request.check().map_err(Error::Request);
        checked.map_err(|error| self.turn_away(request, error))?;
        // Asked for before the verdict is known: it is made while we judge, and one that is not
        // needed ends when it is dropped. Nothing of the command exists in it yet.
        let warden = self.yard.warden(self.network_of(request))?;
        // After it: an input that must be carried has a thread, and a process with threads may not
        // be its own keeper.
        let input = self.input_of(request);
        let (input, inlet) = input.map_err(|error| self.turn_away(request, error))?;
        let redactor = self.redactor_for(request)?;
        let (judgement, scene) = self.judge(request);
        let began = SystemTime::now();
        let opening = |id| Opening { id, request, redactor: &redactor, began };
        let said = Said::of(&judgement, &scene);
        let places = self.places(request)?;
        let (plan, reasons) = match self.plan(judgement, request, &places) {
            Ok(planned) => planned,
            Err(refused) => {
                let job = self.yard.next_job()?;
                self.open_entry(&job, &opening(&job.id), &said, None)?;
                let papers = paper::papers(request, &scene)?;
                return self.refuse(*refused, &opening(&job.id), &job.dir, papers);
            }
        };
        let job = self.yard.next_job()?;
        let opened = self.open_entry(&job, &opening(&job.id), &said, Some(&plan))?;
        let Prepared { id, dir } = job;
        let request = request.clone();
        Ok(Admission::Granted(Box::new(Admitted {
            id,
            request,
            scene,
            plan,
            redactor,
            dir,
            input: Some(Arc::new(input)),
            inlet: Arc::new(inlet),
            warden: Arc::new(warden),
            reasons,
            began,
            opened,
            left_by: None,
        })))
    }

    /// The same for those who outlive an admitted command: the request that they are held by is
    /// judged by what was seen then.
    pub(super) fn admit_survivors(
        &self,
        left_by: &Admitted,
        request: Request,
        warden: Arc<Warden>,
    ) -> Result<Admitted, Error> {
        let (redactor, scene) = (left_by.redactor.clone(), left_by.scene.clone());
        let judgement = policy::judge(&request, &self.policy, &Recorded::new(scene.clone()));
        let said = Said::of(&judgement, &scene);
        let places = self.places(&request)?;
        let planned = self.plan(judgement, &request, &places);
        let (plan, reasons) = planned.map_err(|_| Error::Unadoptable)?;
        let job = self.yard.next_job()?;
        let began = SystemTime::now();
        let opening = Opening { id: &job.id, request: &request, redactor: &redactor, began };
        let opened = self.open_entry(&job, &opening, &said, Some(&plan))?;
        let Prepared { id, dir } = job;
        let (input, inlet) = (None, Arc::default());
        Ok(Admitted {
            id,
            request,
            scene,
            plan,
            redactor,
            dir,
            input,
            inlet,
            warden,
            reasons,
            began,
            opened,
            left_by: Some(left_by.id.clone()),
        })
    }

    fn open_entry(
        &self,
        job: &Prepared,
        opening: &Opening<'_>,
        said: &Said,
        plan: Option<&Plan>,
    ) -> Result<Receipt, Error> {
        self.record_opening(opening, said, plan).inspect_err(|_| self.yard.give_up(job))
    }

    /// From a verdict to a plan. Whatever else there is, is a refusal.
    fn plan(
        &self,
        judgement: Judgement,
        request: &Request,
        places: &Places,
    ) -> Result<(Plan, Vec<Reason>), Box<Refused>> {
        let Judgement { verdict, mut reasons } = judgement;
        let grant = match verdict {
            Verdict::Allow(grant) => grant,
            Verdict::Ask(_) | Verdict::Deny(_) => {
                return Err(Box::new(Refused {
                    verdict: verdict.name(),
                    reasons,
                    failure: Failure::Policy,
                    enforced: Enforced::nothing(self.policy.mode()),
                }));
            }
        };
        let ground = self.ground(places);
        let site = self.site(request, &ground);
        match plan::draw(grant, request, &self.policy, &ground, site) {
            Ok(plan) => match ill_granted(&plan) {
                None => Ok((plan, reasons)),
                Some(reason) => {
                    reasons.push(reason);
                    let (failure, mode) = (Failure::Confinement, self.policy.mode());
                    let enforced = Enforced::nothing(mode);
                    Err(Box::new(Refused { verdict: "allow", reasons, failure, enforced }))
                }
            },
            Err(undrawn) => {
                reasons.push(undrawn.reason);
                let failure = match undrawn.lack {
                    Lack::Confinement | Lack::Grant => Failure::Confinement,
                    Lack::Shell => Failure::NotFound,
                };
                let enforced = undrawn.enforced;
                Err(Box::new(Refused { verdict: "allow", reasons, failure, enforced }))
            }
        }
    }

    pub(super) fn judge(&self, request: &Request) -> (Judgement, Scene) {
        let tmp = self.yard.state.session_tmp_path(&request.caller.session);
        let scratch = scratch::without_mounts(&self.policy, self.host.powers, Some(&tmp));
        let look = scratch::look(&self.inherited, request, scratch);
        let judgement = policy::judge(request, &self.policy, &look);
        (judgement, look.into_scene())
    }

    /// The variables that the caller sets may be secrets too.
    fn redactor_for(&self, request: &Request) -> Result<Redactor, Error> {
        if request.env.is_empty() {
            return Ok(self.redactor.clone());
        }
        let both: Vec<_> = self.environment.iter().chain(&request.env).cloned().collect();
        let redactor =
            Redactor::new(&open::secrets(&self.policy, &both)).map_err(Error::Capture)?;
        Ok(redactor.labelled(self.redactor.label()))
    }

    /// The papers of a job that lives: whose it is, and what it was judged by.
    pub(super) fn keep_early(&self, admitted: &Admitted) -> Result<(), Error> {
        let owner = self.yard.owner.id().as_str().as_bytes().to_vec();
        let mut papers = vec![("owner", owner)];
        papers.extend(admitted.papers()?);
        self.keep_policy();
        self.housekeeper.has(Chore::Keep(admitted.dir.clone(), papers))
    }

    /// The same, here and now: somebody may look for it in the next moment.
    pub(super) fn keep_now(&self, admitted: &Admitted) -> Result<(), Error> {
        let owner = self.yard.owner.id().as_str().as_bytes().to_vec();
        let mut papers = admitted.papers()?;
        // The owner is the last: whoever finds it finds the rest.
        papers.push(("owner", owner));
        self.yard.does(Chore::KeepPolicy(Arc::clone(&self.policy_paper)))?;
        self.yard.does(Chore::Keep(admitted.dir.clone(), papers))
    }
}

/// Why a grant of the policy is not followed, if it is not.
fn ill_granted(plan: &Plan) -> Option<Reason> {
    let cage = plan.built()?;
    let kernels = cage.kernels().map(plan::kernels_grant);
    kernels.or_else(|| cage.turned().map(plan::turned_grant))
}

impl Hall {
    /// The policy of a job goes before its other papers: whoever finds those finds all. Only a
    /// replay needs it, so a job does not end where it cannot be kept; the next reply tells it.
    pub(super) fn keep_policy(&self) {
        let kept = self.housekeeper.later(Chore::KeepPolicy(Arc::clone(&self.policy_paper)));
        kept.unwrap_or_else(|error| self.yard.note(error));
    }
}

impl Hall {
    fn input_of(&self, request: &Request) -> Result<(Input, Inlet), Error> {
        let roots = || {
            let variable = |name: &str| plan::variable(&self.environment, name);
            plan::roots(&self.policy, request.workspace.as_deref(), &variable)
        };
        let made = match &request.stdin {
            Stdin::Closed => self.yard.closed_input(),
            Stdin::Text(text) => ricasso_os::text_input(text.as_slice()),
            Stdin::File(path) => match self.policy.mode() {
                Mode::Open => ricasso_os::file_input(path),
                Mode::Read | Mode::Workspace => ricasso_os::enclosed_input(path, &roots()),
            },
            Stdin::Fed => {
                let (input, feeder) = ricasso_os::fed_input().map_err(Error::Os)?;
                return Ok((input, Inlet::pipe(feeder)));
            }
        };
        made.map(|input| (input, Inlet::default())).map_err(Error::Os)
    }
}
