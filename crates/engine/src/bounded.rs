//! The limits of a whole run around the steps of its review.

use std::sync::Arc;

use review::{Cut, Executed, Executor, Halt, ReviewMachine, ReviewOp, ReviewOut, Step, Texts};
use review_agents::{AgentContext, Interruption};

/// Carries out steps as long as the run goes on: a signal halts it, the end of
/// its time is an output.
pub(crate) struct Bounded<E> {
    pub(crate) inner: E,
    pub(crate) context: Arc<AgentContext>,
}

impl<E> Bounded<E> {
    fn interrupted(&self) -> Result<Option<Executed<ReviewOut>>, Halt> {
        match self.context.interruption() {
            Some(Interruption::Stopped) => Err(Halt::Interrupted),
            Some(Interruption::RunTime) => Ok(Some(Executed::local(ReviewOut::Cut(Cut::RunTime)))),
            None => Ok(None),
        }
    }
}

impl<E: Executor<ReviewMachine>> Executor<ReviewMachine> for Bounded<E> {
    async fn exec(
        &self,
        step: Step,
        op: ReviewOp,
        texts: &Texts,
    ) -> Result<Executed<ReviewOut>, Halt> {
        if let Some(cut) = self.interrupted()? {
            return Ok(cut);
        }
        let executed = self.inner.exec(step, op, texts).await?;
        match &executed.out {
            ReviewOut::Failed(_) => Ok(self.interrupted()?.unwrap_or(executed)),
            _ => Ok(executed),
        }
    }
}
