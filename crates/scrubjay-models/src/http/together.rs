//! Several calls at once.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

type Work<'a, Output, Error> = Pin<Box<dyn Future<Output = Result<Output, Error>> + Send + 'a>>;

/// Does several things, `at_once` of them at a time, and gives their results in order. The first failure ends all.
///
/// # Errors
/// The first failure.
pub async fn together<Output: Unpin, Error>(
    work: Vec<Work<'_, Output, Error>>,
    at_once: usize,
) -> Result<Vec<Output>, Error> {
    let mut results: Vec<Option<Output>> = work.iter().map(|_| None).collect();
    let mut waiting = work.into_iter().enumerate();
    let mut running: Vec<(usize, Work<'_, Output, Error>)> = Vec::new();
    poll_fn(move |context| {
        loop {
            while running.len() < at_once.max(1)
                && let Some(next) = waiting.next()
            {
                running.push(next);
            }
            if running.is_empty() {
                return Poll::Ready(Ok(results.iter_mut().filter_map(Option::take).collect()));
            }
            let mut finished = false;
            let mut place = 0;
            while let Some((number, future)) = running.get_mut(place) {
                match future.as_mut().poll(context) {
                    Poll::Pending => place += 1,
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Ready(Ok(output)) => {
                        results[*number] = Some(output);
                        drop(running.swap_remove(place));
                        finished = true;
                    }
                }
            }
            // Whatever took a free place has not been asked yet.
            if !finished {
                return Poll::Pending;
            }
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_are_in_order_and_few_run_at_once() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let running = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let work = |number: usize| -> Work<'static, usize, ()> {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            Box::pin(async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                for _ in 0..(7 * number) % 5 {
                    tokio::task::yield_now().await;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(number)
            })
        };
        let results = runtime.block_on(together((0..20).map(work).collect(), 3)).unwrap();
        assert_eq!(results, (0..20).collect::<Vec<_>>());
        assert_eq!(most.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn the_first_failure_ends_all() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let work = |number: u32| -> Work<'static, u32, u32> {
            Box::pin(async move { if number == 3 { Err(number) } else { Ok(number) } })
        };
        assert_eq!(runtime.block_on(together((0..9).map(work).collect(), 2)), Err(3));
        assert_eq!(runtime.block_on(together(Vec::<Work<'_, u32, u32>>::new(), 2)), Ok(vec![]));
    }
}
